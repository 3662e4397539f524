// Braces in launch configurations: shapes are told, and places are those of the user's text.
// expect: launch fill grid=dim3(n / 64, 2) block=dim3(32, 2, 1) shared=0 stream=default stream
// expect: launch fill grid=64 block=1 shared=none stream=default stream
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void fill(float* part, int n) { part[blockIdx.x * blockDim.x + threadIdx.x] = n; }

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float* part;
  cudaMalloc(&part, n * sizeof(float));
  fill<<<{n / 64, 2}, {32, 2, 1}, 0, 0>>>(part, n);
  fill<<<64, { }>>>(part, n);
  ncclAllReduce(part, part, n, ncclFloat, ncclSum, comm, 0);
  cudaFree(part);
  ncclCommDestroy(comm);
}
