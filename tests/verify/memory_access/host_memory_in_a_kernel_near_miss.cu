// The kernel is given a host pointer, but to memory from cudaHostAlloc, which every device may use as it is.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kCount = 256;

__global__ void count_even(const int* values, int* even) {
  if (values[threadIdx.x] % 2 == 0) atomicAdd(even, 1);
}

int main() {
  int* values;
  cudaHostAlloc(&values, kCount * sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < kCount; i++) values[i] = 3 * i;
  int *even, result = 0;
  cudaMalloc(&even, sizeof(int));
  cudaMemset(even, 0, sizeof(int));
  count_even<<<1, kCount>>>(values, even);
  cudaMemcpy(&result, even, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d even\n", result);
  cudaFree(even);
  cudaFreeHost(values);
  return result != kCount / 2;
}
