// The second block starts while the first is still open.
// expect-warning: EVOLVE-BLOCK-START inside a block that is still open
// expect-warning: expected EVOLVE-BLOCK-END first
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

// EVOLVE-BLOCK-START
__global__ void fill(float* part, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) part[i] = i;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float* part;
  cudaMalloc(&part, n * sizeof(float));

  // EVOLVE-BLOCK-START
  fill<<<n / 256, 256>>>(part, n);
  ncclAllReduce(part, part, n, ncclFloat, ncclSum, comm, 0);
  // EVOLVE-BLOCK-END
  cudaDeviceSynchronize();
}
