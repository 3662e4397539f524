// The guard against the last partial block is missing.
// ranks: 1
// fault: memory_access
#include <cstdio>

__global__ void fill(float* values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef FAULT
  if (i >= count) return;
#endif
  values[i] = static_cast<float>(i);
}

int main() {
  const int count = 1000;
  float* values;
  cudaMalloc(&values, count * sizeof(float));
  fill<<<2, 1024>>>(values, count);
  cudaDeviceSynchronize();
  cudaFree(values);
  return 0;
}
