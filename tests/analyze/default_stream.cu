// The legacy default stream orders itself with blocking streams, so no event is needed here.
// expect: stream default stream legacy
// expect: stream side blocking
// expect: site s1 ncclAllReduce send=sums recv=sums count=n type=ncclFloat comm=comm stream=side op=ncclSum in-place
// expect: site s2 ncclBroadcast send=sums recv=copy count=n type=ncclFloat comm=comm stream=default stream peer=0
// expect: launch row_sums grid=n / 256 block=256 shared=none stream=default stream
// expect: producer s1 row_sums sums
// expect: producer s2 ncclAllReduce sums
// expect: consumer s2 report copy
// expect-not: unordered
// expect-not: warning
// expect: ranks unknown
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void row_sums(float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sums[i] = i;
}

__global__ void report(const float* copy, float* first) { *first = copy[0]; }

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float *sums, *copy, *first;
  cudaMalloc(&sums, n * sizeof(float));
  cudaMalloc(&copy, n * sizeof(float));
  cudaMalloc(&first, sizeof(float));
  cudaStream_t side;
  cudaStreamCreate(&side);
  row_sums<<<n / 256, 256>>>(sums, n);
  ncclAllReduce(sums, sums, n, ncclFloat, ncclSum, comm, side);
  ncclBroadcast(sums, copy, n, ncclFloat, 0, comm, 0);
  report<<<1, 1, 0, cudaStreamLegacy>>>(copy, first);
  cudaDeviceSynchronize();
}
