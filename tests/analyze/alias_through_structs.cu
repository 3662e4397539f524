// The same allocation under several names: struct fields, a pointer to the struct, a reference, a cast.
// expect: site s1 ncclReduce send=storage recv=total count=n type=ncclFloat comm=comm stream=stream op=ncclSum peer=0
// expect: producer s1 accumulate storage
// expect: consumer s1 finish total
// expect-count: 1 buffer storage
// expect-count: 1 buffer total
// expect: output total
// expect-not: external
// expect-not: buffer view
// expect-count: 2 window
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

struct View {
  float* data;
  int size;
};

struct Job {
  View input;
  View* output;
};

__global__ void accumulate(float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[i], 1.0f);
}

__global__ void finish(float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) total[i] = sqrtf(total[i]);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 14;
  void* storage;
  float* total;
  cudaMalloc(&storage, n * sizeof(float));
  cudaMalloc(&total, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  View view = {static_cast<float*>(storage), n};
  View destination{total, n};
  Job job{view, &destination};
  float*& sums = job.input.data;
  accumulate<<<n / 256, 256, 0, stream>>>(sums, job.input.size);
  Job* work = &job;
  ncclReduce(work->input.data, work->output->data, n, ncclFloat, ncclSum, 0, comm, stream);
  const View& seen = *work->output;
  finish<<<n / 256, 256, 0, stream>>>(seen.data, seen.size);
  cudaStreamSynchronize(stream);
  float first;
  cudaMemcpy(&first, destination.data, sizeof first, cudaMemcpyDeviceToHost);
}
