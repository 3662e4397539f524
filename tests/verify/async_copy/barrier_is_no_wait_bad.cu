// The threads meet at a barrier, but nobody waits for the copies.
// ranks: 1
// expect-finding: async_copy
#include <cuda_pipeline.h>

#include <cstdio>

constexpr int kThreads = 64, kCount = 4 * kThreads;

__global__ void run(const float* in, float* out) {
  __shared__ alignas(16) float tile[kCount];
  __pipeline_memcpy_async(&tile[4 * threadIdx.x], &in[4 * threadIdx.x], 16);  // FAULT
  __pipeline_commit();
  __syncthreads();
  for (int i = threadIdx.x; i < kCount; i += kThreads) out[i] = tile[kCount - 1 - i];  // FAULT
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
