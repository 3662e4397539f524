// The path that finds nothing to do returns early too, and the owner frees the scratch memory.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <memory>
#include <vector>

__global__ void threshold(const int* values, int* kept, int* count, int limit) {
  if (values[threadIdx.x] < limit) return;
  int place = atomicAdd(count, 1);
  kept[place] = values[threadIdx.x];
}

struct DeviceDeleter {
  void operator()(int* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<int, DeviceDeleter>;

DeviceMemory allocate(size_t count) {
  int* memory;
  cudaMalloc(&memory, count * sizeof(int));
  return DeviceMemory(memory);
}

std::vector<int> values_above(const std::vector<int>& values, int limit) {
  const size_t bytes = values.size() * sizeof(int);
  DeviceMemory input = allocate(values.size()), kept = allocate(values.size()), count = allocate(1);
  cudaMemcpy(input.get(), values.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(count.get(), 0, sizeof(int));
  threshold<<<1, static_cast<unsigned>(values.size())>>>(input.get(), kept.get(), count.get(), limit);
  int found;
  cudaMemcpy(&found, count.get(), sizeof found, cudaMemcpyDeviceToHost);
  if (found == 0) return {};
  std::vector<int> result(found);
  cudaMemcpy(result.data(), kept.get(), found * sizeof(int), cudaMemcpyDeviceToHost);
  return result;
}

int main() {
  std::vector<int> values(128);
  for (int i = 0; i < 128; i++) values[i] = i;
  size_t some = values_above(values, 100).size();
  size_t none = values_above(values, 1000).size();
  std::printf("%zu and %zu\n", some, none);
  return some != 28 || none != 0;
}
