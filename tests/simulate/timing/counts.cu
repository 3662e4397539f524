// A kernel whose loops take their number of rounds from what an earlier kernel wrote, and a program that checks it all.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kBlocks = 256, kThreads = 128;

__global__ void write_counts(int* counts) { counts[blockIdx.x * blockDim.x + threadIdx.x] = 1 + threadIdx.x % 7; }

__global__ void use_counts(const int* counts, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k != counts[i]; k++) sum += 1;
  out[i] = sum;
}

int main() {
  int* counts;
  float* out;
  cudaMalloc(&counts, kBlocks * kThreads * sizeof(int));
  cudaMalloc(&out, kBlocks * kThreads * sizeof(float));
  write_counts<<<kBlocks, kThreads>>>(counts);
  use_counts<<<kBlocks, kThreads>>>(counts, out);
  std::vector<float> host(kBlocks * kThreads);
  cudaMemcpy(host.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (size_t i = 0; i < host.size(); i++) wrong += host[i] != 1 + i % kThreads % 7;
  std::printf("%d wrong\n", wrong);
  cudaFree(counts);
  cudaFree(out);
  return wrong != 0;
}
