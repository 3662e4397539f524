// Events that only order streams time nothing: the region reaches from the first to the last launch or collective.
// expect: region first_to_last
// expect: in-region s1 yes
// expect: in-region s2 yes
// expect: output rows
// expect-not: output staged
// expect: consumer s1 blend staged
// expect: producer s2 blend rows
// expect-not: region events
// expect-not: unordered
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void blend(const float* staged, float* rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) rows[i] = 0.5f * (rows[i] + staged[i]);
}

int main(int, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, rank);
  const int n = 1 << 18;
  float *staged, *rows;
  cudaMalloc(&staged, n * sizeof(float));
  cudaMalloc(&rows, n * sizeof(float));
  cudaStream_t load, work;
  cudaStreamCreate(&load);
  cudaStreamCreate(&work);
  cudaEvent_t loaded;
  cudaEventCreate(&loaded);
  cudaMemsetAsync(rows, 0, n * sizeof(float), work);
  ncclBroadcast(staged, staged, n, ncclFloat, 0, comm, load);
  cudaEventRecord(loaded, load);
  cudaStreamWaitEvent(work, loaded, 0);
  blend<<<n / 256, 256, 0, work>>>(staged, rows, n);
  ncclReduce(rows, rows, n, ncclFloat, ncclSum, 0, comm, work);
  cudaDeviceSynchronize();
}
