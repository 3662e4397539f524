// The grid is rounded up and guarded, so every gathered element was computed.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCount = 300;
constexpr int kBlock = 128;

__global__ void compute_squares(float* out, int count, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = static_cast<float>(i * i + rank);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float *own, *all;
  CHECK(cudaMalloc(&own, kCount * sizeof(float)));
  CHECK(cudaMalloc(&all, ranks.count * kCount * sizeof(float)));
  compute_squares<<<(kCount + kBlock - 1) / kBlock, kBlock>>>(own, kCount, ranks.rank);
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, ranks.comm, nullptr));
  std::vector<float> host(ranks.count * kCount);
  CHECK(cudaMemcpy(host.data(), all, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < ranks.count * kCount; i++) wrong += host[i] != (i % kCount) * (i % kCount) + i / kCount;
  CHECK(cudaFree(all));
  CHECK(cudaFree(own));
  return ranks.verdict(wrong);
}
