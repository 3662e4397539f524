// The count and the type of a collective in the wrong order: refused by the parser, not guessed at.
// expect-error: wrong_argument.cu:11:3: error: no matching function for call to 'ncclAllReduce'; no known conversion from 'int' to 'ncclDataType_t' for 4th argument
#include <cuda_runtime.h>
#include <nccl.h>

int main() {
  ncclComm_t comm;
  ncclCommInitAll(&comm, 1, nullptr);
  float* data;
  cudaMalloc(&data, 4096);
  ncclAllReduce(data, data, ncclFloat, 1024, ncclSum, comm, 0);
  cudaDeviceSynchronize();
}
