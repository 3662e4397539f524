// The work of a block grows with its index.
#include <cuda_runtime.h>

__global__ void triangle(float* out, int blocks) {
  float x = threadIdx.x;
  for (int i = 0; i < 16 * static_cast<int>(blockIdx.x); i++) x = x * 0.5f + 1.f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main() {
  constexpr int kBlocks = 2048;
  float* out;
  cudaMalloc(&out, kBlocks * 64 * sizeof(float));
  triangle<<<kBlocks, 64>>>(out, kBlocks);
  cudaDeviceSynchronize();
  cudaFree(out);
}
