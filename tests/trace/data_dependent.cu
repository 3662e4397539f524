// Rows go where a drawn permutation sends them, as tokens to experts.
// run: -n 2 --once
// expect: writes b1: a table of 64 blocks, 1 piece each
// expect: no form: data-dependent: with other inputs blocks touch other bytes
#include <numeric>
#include <utility>
#include <vector>

#include "ranks.h"

__global__ void scatter(const int* target, float* out) { out[target[blockIdx.x] * 32 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  std::vector<int> order(32);
  std::iota(order.begin(), order.end(), 0);
  for (int i = 31; i > 0; i--) std::swap(order[i], order[rand() % (i + 1)]);
  int* target;
  cudaMalloc(&target, 32 * sizeof(int));
  cudaMemcpy(target, order.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
  float* out = floats(32 * 32);
  scatter<<<32, 32>>>(target, out);
  gather(ranks, out, 32 * 32);
}
