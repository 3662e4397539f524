// The source of a copy is written again while the copy may still read it.
// ranks: 1
// expect-finding: async_copy
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cstdio>

namespace cg = cooperative_groups;
constexpr int kThreads = 32, kCount = kThreads;

__global__ void run(float* in, float* out) {
  __shared__ float tile[kCount];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);  // FAULT
  in[threadIdx.x] = 0;  // FAULT
  cg::wait(block);
  out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  float host[kCount], *in, *out;
  for (int i = 0; i < kCount; i++) host[i] = static_cast<float>(i);
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  run<<<1, kThreads>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  std::printf("%g\n", host[1]);
  return 0;
}
