// verdict: fault
// finding: executed
#include <cuda_runtime.h>

__global__ void check(int value) {
  if (value != 2) __trap();
}

int main() {
  check<<<1, 32>>>(1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
