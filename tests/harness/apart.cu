// Every rank adds up its samples in two kernels that need each other; nothing is communicated.
#include <cuco/harness.h>

#include "ranks.h"

constexpr int kBlocks = 300, kThreads = 128;

__global__ void add_up(const float* samples, int rounds, float* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int round = 0; round < rounds; round++) sum = sum * 0.5f + samples[i];
  sums[i] = sum;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cuco::Harness harness(ranks.rank, ranks.count, argc, argv);
  const int count = kBlocks * kThreads, rounds = static_cast<int>(harness.parameter("rounds", 2000));
  auto* samples = allocate<float>(count);
  auto* once = allocate<float>(count);
  auto* twice = allocate<float>(count);
  harness.input("samples", samples, count, cuco::normal(0, 1));
  harness.scratch("once", once, count);
  harness.output("twice", twice, count, cuco::within(1e-5, 1e-5));
  harness.run([&] {
    add_up<<<kBlocks, kThreads, 0, ranks.stream>>>(samples, rounds, once);
    add_up<<<kBlocks, kThreads, 0, ranks.stream>>>(once, rounds, twice);
    CHECK(cudaStreamSynchronize(ranks.stream));
  });
  for (float* buffer : {samples, once, twice}) CHECK(cudaFree(buffer));
}
