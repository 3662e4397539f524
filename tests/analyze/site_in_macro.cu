// The collective itself stands in a macro's body: its text is edited there, for all uses of the macro.
// expect-count: 1 site s
// expect: convertible s1 yes
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

#define SUM_IN_PLACE(pointer, count) ncclAllReduce(pointer, pointer, count, ncclFloat, ncclSum, comm, stream)

__global__ void ones(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 1;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 4096;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  ones<<<n / 256, 256, 0, stream>>>(data, n);

  SUM_IN_PLACE(data, n);
  cudaStreamSynchronize(stream);
}
