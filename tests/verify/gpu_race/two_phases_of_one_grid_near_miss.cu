// The second phase reads what other blocks wrote in the first, with a grid-wide barrier in a cooperative launch
// between.
// ranks: 1
// expect: no findings
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

constexpr int kBlocks = 6;
constexpr int kThreads = 64;

__global__ void scale_by_neighbour(int* first, int* second) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
  first[i] = i + 1;
  cooperative_groups::this_grid().sync();
  second[i] = 2 * first[(i + kThreads) % count];
}

int main() {
  const int count = kBlocks * kThreads;
  int *first, *second;
  cudaMalloc(&first, count * sizeof(int));
  cudaMalloc(&second, count * sizeof(int));
  cudaMemset(first, 0, count * sizeof(int));
  void* arguments[] = {&first, &second};
  cudaLaunchCooperativeKernel(scale_by_neighbour, dim3(kBlocks), dim3(kThreads), arguments, 0, nullptr);
  std::vector<int> host(count);
  cudaMemcpy(host.data(), second, count * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < count; i++) wrong += host[i] != 2 * ((i + kThreads) % count + 1);
  std::printf("%d wrong\n", wrong);
  cudaFree(second);
  cudaFree(first);
  return wrong != 0;
}
