// What is sent was set, not computed: memset is the producer, and the later kernel on other memory could run beside it.
// expect: site s1 ncclAllGather send=padding recv=table count=n type=ncclInt8 comm=comm stream=stream
// expect: producer s1 cudaMemsetAsync padding
// expect: overlap s1 warm_up
// expect-not: producer s1 warm_up
// expect-count: 1 producer s1
// expect: operation cudaMemsetAsync in main
// expect: convertible s1 yes
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdint.h>
#include <stdlib.h>

__global__ void warm_up(float* cache, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cache[i] = 0;
}

int main(int, char** argv) {
  int ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, atoi(argv[1]));
  const int n = 1 << 16;
  int8_t *padding, *table;
  float* cache;
  cudaMalloc(&padding, n);
  cudaMalloc(&table, ranks * n);
  cudaMalloc(&cache, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemsetAsync(padding, 0xff, n, stream);
  ncclAllGather(padding, table, n, ncclInt8, comm, stream);
  warm_up<<<n / 256, 256, 0, stream>>>(cache, n);
  cudaStreamSynchronize(stream);
}
