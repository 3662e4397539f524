// Two groups are under way, and the wait lets one of them be: the one that is read.
// ranks: 1
// expect-finding: async_copy
#include <cstdint>
#include <cstdio>

constexpr int kThreads = 32, kSteps = 4, kCount = 4 * kThreads * kSteps;

__device__ void begin(float* to, const float* from) {
  uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(target), "l"(from));  // FAULT
  asm volatile("cp.async.commit_group;\n" ::);
}

__global__ void run(const float* in, float* out) {
  __shared__ alignas(16) float stage[2][4 * kThreads];
  int lane = threadIdx.x;
  begin(&stage[0][4 * lane], in + 4 * lane);
  for (int step = 0; step < kSteps; step++) {
    if (step + 1 < kSteps) begin(&stage[(step + 1) % 2][4 * lane], in + 4 * (kThreads * (step + 1) + lane));
    asm volatile("cp.async.wait_group %0;\n" ::"n"(1));
    __syncthreads();
    for (int i = lane; i < 4 * kThreads; i += kThreads) out[4 * kThreads * step + i] = stage[step % 2][i ^ 1];  // FAULT
    __syncthreads();
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
