// verdict: fault
// finding: memory_access: kernel scribble
#include <cstdint>

#include <cuda_runtime.h>

__global__ void scribble(uint64_t start) {
  uint64_t address = start;
  for (int i = 0; i < 1000; i++) {
    address = address * 6364136223846793005u + 1442695040888963407u;
    *reinterpret_cast<volatile int*>(address >> 17) = i;
  }
}

int main() {
  scribble<<<1, 32>>>(99);
  cudaDeviceSynchronize();
}
