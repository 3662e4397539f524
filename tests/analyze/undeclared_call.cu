// A call that NCCL does not have: refused where it stands, with its name.
// expect-error: undeclared_call.cu:16:3: error: use of undeclared identifier 'ncclAllGatherV'
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  float *part, *whole;
  cudaMalloc(&part, 1024);
  cudaMalloc(&whole, 8192);
  ncclAllReduce(part, part, 256, ncclFloat, ncclSum, comm, 0);
  ncclAllGatherV(part, whole, 256, ncclFloat, comm, 0);
  cudaDeviceSynchronize();
}
