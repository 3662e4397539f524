// Arrays that are filled at once, of sizes that the compiler knows, on the host and by one thread of a kernel.
// ranks: 1
// expect: ok
// expect: 3 of 3 values are there
#include <cstdio>
#include <cstring>
#include <vector>

constexpr size_t kCount = size_t{1} << 32;

__global__ void fill(float* values, bool is_asked_to) {
  if (is_asked_to) std::memset(values, 0, kCount * sizeof(float));
  values[threadIdx.x] = threadIdx.x + 1;
}

int main(int argc, char**) {
  float *values, host[3];
  cudaMalloc(&values, sizeof host);
  fill<<<1, 3>>>(values, argc > 9);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  int there = 0;
  if (argc > 9) there -= std::vector<double>(kCount).size() > 1;
  for (int i = 0; i < 3; i++) there += host[i] == i + 1;
  std::printf("%d of 3 values are there\n", there);
  return 0;
}
