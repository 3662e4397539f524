// One allocation divided by hand into parts: different bytes of one buffer are not in place and not dependent.
// expect-count: 1 buffer pool device
// expect: site s1 ncclAllReduce send=pool recv=pool count=n type=ncclFloat comm=comm stream=stream op=ncclSum
// expect: site s2 ncclAllReduce send=pool recv=pool count=n type=ncclFloat comm=comm stream=stream op=ncclMax
// expect-not: in-place
// expect: overlap s1 ncclAllReduce
// expect: overlap s2 ncclAllReduce
// expect: producer s1 fill_pair pool
// expect-not: producer s2 ncclAllReduce
// expect-not: consumer s1 ncclAllReduce
// expect: window pool
// expect-count: 1 window
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void fill_pair(float* sums, float* maxima, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sums[i] = i;
  maxima[i] = -i;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 20;
  char* pool;
  cudaMalloc(&pool, 4 * n * sizeof(float));
  char* cursor = pool;
  auto take = [&](size_t bytes) {
    char* taken = cursor;
    cursor += bytes;
    return reinterpret_cast<float*>(taken);
  };
  float* sums = take(n * sizeof(float));
  float* all_sums = take(n * sizeof(float));
  float* maxima = take(n * sizeof(float));
  float* all_maxima = take(n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  fill_pair<<<n / 256, 256, 0, stream>>>(sums, maxima, n);
  ncclAllReduce(sums, all_sums, n, ncclFloat, ncclSum, comm, stream);
  ncclAllReduce(maxima, all_maxima, n, ncclFloat, ncclMax, comm, stream);
  cudaStreamSynchronize(stream);
  cudaFree(pool);
}
