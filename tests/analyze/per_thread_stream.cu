// The per-thread default stream by its handle; it is a stream of its own, not the legacy one.
// expect: stream per-thread default stream per_thread
// expect: launch tokenise grid=64 block=256 shared=0 stream=per-thread default stream
// expect: producer s1 tokenise tokens
// expect: consumer s1 cudaMemcpyAsync all
// expect-count: 1 stream
// expect-not: legacy
// expect-not: unordered
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void tokenise(int* tokens) { tokens[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

int main(int, char** argv) {
  int ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, atoi(argv[1]));
  const size_t n = 64 * 256;
  int *tokens, *all, *host;
  cudaMalloc(&tokens, n * sizeof(int));
  cudaMalloc(&all, ranks * n * sizeof(int));
  cudaMallocHost(&host, ranks * n * sizeof(int));
  tokenise<<<64, 256, 0, cudaStreamPerThread>>>(tokens);
  ncclAllGather(tokens, all, n, ncclInt32, comm, cudaStreamPerThread);
  cudaMemcpyAsync(host, all, ranks * n * sizeof(int), cudaMemcpyDeviceToHost, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
}
