// A buffer is freed while its kernel's successor still uses it.
// ranks: 1
// fault: memory_access
#include <cstdio>

__global__ void increment(int* values) { values[threadIdx.x] += 1; }

int main() {
  int* values;
  cudaMalloc(&values, 256 * sizeof(int));
  increment<<<1, 256>>>(values);
#ifdef FAULT
  cudaFree(values);
#endif
  increment<<<1, 256>>>(values);
  cudaDeviceSynchronize();
#ifndef FAULT
  cudaFree(values);
#endif
  return 0;
}
