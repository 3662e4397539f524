#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

void launch_add(const int* values, int count, int* sum, cudaStream_t stream);

int main() {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  int *device, *sum, host = 0;
  cudaMalloc(&device, values.size() * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMemcpy(device, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(sum, 0, sizeof(int));
  launch_add(device, static_cast<int>(values.size()), sum, nullptr);
  cudaMemcpy(&host, sum, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(sum);
  std::printf("sum %d\n", host);
  return host != 2016;
}
