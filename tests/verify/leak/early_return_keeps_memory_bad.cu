// The path that finds nothing to do returns without freeing the scratch memory.
// ranks: 1
// expect-finding: leak
#include <cstdio>
#include <vector>

__global__ void threshold(const int* values, int* kept, int* count, int limit) {
  if (values[threadIdx.x] < limit) return;
  int place = atomicAdd(count, 1);
  kept[place] = values[threadIdx.x];
}

std::vector<int> values_above(const std::vector<int>& values, int limit) {
  const size_t bytes = values.size() * sizeof(int);
  int *input, *kept, *count;
  cudaMalloc(&input, bytes);        // FAULT
  cudaMalloc(&kept, bytes);         // FAULT
  cudaMalloc(&count, sizeof(int));  // FAULT
  cudaMemcpy(input, values.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(count, 0, sizeof(int));
  threshold<<<1, static_cast<unsigned>(values.size())>>>(input, kept, count, limit);
  int found;
  cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost);
  if (found == 0) return {};  // FAULT
  std::vector<int> result(found);
  cudaMemcpy(result.data(), kept, found * sizeof(int), cudaMemcpyDeviceToHost);
  for (int* memory : {input, kept, count}) cudaFree(memory);
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
