// Near miss of default_stream.cu: a non-blocking stream does not wait for the default stream.
// expect: stream side non_blocking
// expect: producer s1 row_sums sums unordered
// expect-warning: `ncclAllReduce` reads `sums` written by `row_sums` at
// expect: consumer s1 cudaMemcpy sums
// expect-not: consumer s1 cudaMemcpy sums unordered
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void row_sums(float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sums[i] = i;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float *sums, first;
  cudaMalloc(&sums, n * sizeof(float));
  cudaStream_t side;
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  row_sums<<<n / 256, 256>>>(sums, n);
  ncclAllReduce(sums, sums, n, ncclFloat, ncclSum, comm, side);
  cudaStreamSynchronize(side);
  cudaMemcpy(&first, sums, sizeof first, cudaMemcpyDeviceToHost);
}
