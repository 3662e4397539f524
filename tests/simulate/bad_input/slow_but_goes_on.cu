// verdict: time_limit
// finding: the program goes on, slowly or for ever
// finding: --limit SECONDS
#include <cuda_runtime.h>

__global__ void add(int* sum) { atomicAdd(sum, 1); }

int main() {
  int* sum = nullptr;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  for (long i = 0; i < 1'000'000'000; i++) {
    add<<<64, 256>>>(sum);
    cudaDeviceSynchronize();
  }
}
