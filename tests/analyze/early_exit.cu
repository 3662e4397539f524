// Paths that leave on errors, with clean-up work of their own; the good path is the program.
// expect: site s1 ncclAllReduce send=data recv=data count=count type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: producer s1 prepare data
// expect: consumer s1 finish data
// expect: convertible s1 yes
// expect: in-region s1 yes
// expect-not: producer s1 cudaMemsetAsync
// expect-count: 1 site s
// expect: operation cudaMemsetAsync in main if cudaGetLastError() != cudaSuccess
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void prepare(float* data, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = i;
}

__global__ void finish(float* data, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = -data[i];
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s RANK RANKS\n", argv[0]);
    return 2;
  }
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  if (ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1])) != ncclSuccess) return 1;
  const int count = 1 << 18;
  float* data = nullptr;
  cudaStream_t stream;
  if (cudaMalloc(&data, count * sizeof(float)) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess) {
    ncclCommAbort(comm);
    exit(1);
  }
  prepare<<<count / 256, 256, 0, stream>>>(data, count);
  if (cudaGetLastError() != cudaSuccess) {
    cudaMemsetAsync(data, 0, count * sizeof(float), stream);
    return 1;
  }
  ncclResult_t result = ncclAllReduce(data, data, count, ncclFloat, ncclSum, comm, stream);
  if (result != ncclSuccess) {
    fprintf(stderr, "%s\n", ncclGetErrorString(result));
    cudaFree(data);
    return 1;
  }
  finish<<<count / 256, 256, 0, stream>>>(data, count);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
