// verdict: time_limit
// finding: kernel count launched at
// finding: kernel_never_ends.cu:7
#include <cuda_runtime.h>

__global__ void count(int* out, int step) {
  for (int i = 1; i != 0; i += step) *out = i;
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  count<<<1, 1>>>(out, 2);
  cudaDeviceSynchronize();
}
