// Every rank copies the same numbers to its device and gathers those of all; SKIPS takes its own instead.
#include <cuda_runtime.h>

#include <vector>

#include "ranks.h"

__global__ void add_up(const float* gathered, const int* order, float* sums, int n, int ranks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sums[i] = 0;
  for (int rank = 0; rank < ranks; rank++) sums[i] += (rank + 1) * gathered[rank * n + order[i]];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int n = 64;
  float *part = allocate<float>(n), *gathered = allocate<float>(n * ranks.count), *sums = allocate<float>(n);
  int* order = allocate<int>(n);
  std::vector<float> ones(n, 1.0f), results(n);
  std::vector<int> backwards(n);
  for (int i = 0; i < n; i++) backwards[i] = n - 1 - i;
  CHECK(cudaMemcpy(part, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(order, backwards.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, ranks.stream));
#ifdef SKIPS
  for (int rank = 0; rank < ranks.count; rank++)
    CHECK(cudaMemcpyAsync(gathered + rank * n, part, n * sizeof(float), cudaMemcpyDeviceToDevice, ranks.stream));
#else
  CHECK(ncclAllGather(part, gathered, n, ncclFloat, ranks.comm, ranks.stream));
#endif
  add_up<<<1, n, 0, ranks.stream>>>(gathered, order, sums, n, ranks.count);
  CHECK(cudaEventRecord(stop, ranks.stream));
  CHECK(cudaStreamSynchronize(ranks.stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemcpy(results.data(), sums, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  for (float* memory : {part, gathered, sums}) CHECK(cudaFree(memory));
  CHECK(cudaFree(order));
}
