// A dot product over all ranks, timed with events, without a harness. Its inputs come from rand().
#include <cuda_runtime.h>

#include <vector>

#include "ranks.h"

__global__ void multiply(const float* a, const float* b, float* products, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) products[i] = a[i] * b[i];
}

__global__ void add_up(const float* products, float* sum, int n) {
  float total = 0;
  for (int i = 0; i < n; i++) total += products[i];
  *sum = total;
}

std::vector<float> random_values(int n) {
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(rand() % 100);
  return values;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int n = 256;
  float *a = allocate<float>(n), *b = allocate<float>(n), *products = allocate<float>(n), *sum = allocate<float>(1);
  std::vector<float> host_a = random_values(n), host_b = random_values(n);
  CHECK(cudaMemcpy(a, host_a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host_b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  float unused = 0;
  CHECK(cudaMemcpy(&unused, a, sizeof(float), cudaMemcpyDeviceToHost));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, ranks.stream));
  multiply<<<(n + 127) / 128, 128, 0, ranks.stream>>>(a, b, products, n);
  add_up<<<1, 1, 0, ranks.stream>>>(products, sum, n);
  CHECK(ncclAllReduce(sum, sum, 1, ncclFloat, ncclSum, ranks.comm, ranks.stream));
  CHECK(cudaEventRecord(stop, ranks.stream));
  CHECK(cudaStreamSynchronize(ranks.stream));
  float milliseconds = 0, result = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
#ifndef KEEPS_RESULT
  CHECK(cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost));
#endif
  if (ranks.rank == 0) std::printf("%f in %f ms\n", result, milliseconds);
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  for (float* memory : {a, b, products, sum}) CHECK(cudaFree(memory));
}
