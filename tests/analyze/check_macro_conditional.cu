// The checking macro is a conditional whose other side ends the program.
// expect: site s1 ncclAllReduce send=sums recv=sums count=n type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: producer s1 fill sums
// expect-not: warning
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) ((call) == 0 ? (void)0 : (printf("%s failed\n", #call), exit(1)))

__global__ void fill(float* sums, int n) {
  if (threadIdx.x < n) sums[threadIdx.x] = 1;
}

int main() {
  const int n = 64;
  ncclComm_t comm;
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  CHECK(ncclCommInitRank(&comm, 1, id, 0));
  float* sums;
  CHECK(cudaMalloc(&sums, n * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  fill<<<1, n, 0, stream>>>(sums, n);
  CHECK(ncclAllReduce(sums, sums, n, ncclFloat, ncclSum, comm, stream));
  CHECK(cudaStreamSynchronize(stream));
}
