// A block that is opened and never closed.
// expect-warning: EVOLVE-BLOCK-START is never closed; expected EVOLVE-BLOCK-END
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float* part;
  cudaMalloc(&part, n * sizeof(float));

  // EVOLVE-BLOCK-START
  ncclAllReduce(part, part, n, ncclFloat, ncclSum, comm, 0);
  cudaDeviceSynchronize();
}
