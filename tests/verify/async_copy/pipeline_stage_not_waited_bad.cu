// The pipeline's stage is committed and read; consumer_wait is missing.
// ranks: 1
// expect-finding: async_copy
#include <cuda/pipeline>

#include <cstdio>

constexpr int kThreads = 32, kCount = 2 * kThreads;

__global__ void run(const float* in, float* out) {
  __shared__ float tile[2][kThreads];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int lane = threadIdx.x;
  for (int stage = 0; stage < 2; stage++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[stage][lane], &in[stage * kThreads + lane], sizeof(float), pipe);  // FAULT
    pipe.producer_commit();
  }
  for (int stage = 0; stage < 2; stage++) {
    out[stage * kThreads + lane] = 2 * tile[stage][lane];  // FAULT
    pipe.consumer_release();
  }
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
