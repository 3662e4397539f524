// All look after the barrier.
// ranks: 1
#include <cuda/barrier>

#include <cstdio>

constexpr int kThreads = 32, kCount = kThreads;

__global__ void run(const float* in, float* out) {
  __shared__ float tile[kCount];
  __shared__ cuda::barrier<cuda::thread_scope_block> done;
  if (threadIdx.x == 0) init(&done, kThreads);
  __syncthreads();
  cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float), done);
  done.arrive_and_wait();
  float first = tile[threadIdx.x];
  out[threadIdx.x] = first + tile[kCount - 1 - threadIdx.x];
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
