// The kernel is given a pointer into an ordinary std::vector, which the device cannot be relied on to reach.
// ranks: 1
// expect-finding: memory_access
#include <cstdio>
#include <vector>

constexpr int kCount = 256;

__global__ void count_even(const int* values, int* even) {
  if (values[threadIdx.x] % 2 == 0) atomicAdd(even, 1);  // FAULT
}

int main() {
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; i++) values[i] = 3 * i;
  int *even, result = 0;
  cudaMalloc(&even, sizeof(int));
  cudaMemset(even, 0, sizeof(int));
  count_even<<<1, kCount>>>(values.data(), even);  // FAULT
  cudaMemcpy(&result, even, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d even\n", result);
  cudaFree(even);
  return result != kCount / 2;
}
