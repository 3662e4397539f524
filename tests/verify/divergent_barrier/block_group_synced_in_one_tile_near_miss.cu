// The first tile syncs itself, as a tile, inside the branch that only it takes.
// ranks: 2
// expect: no findings
#include <cooperative_groups.h>

#include "../../simulate/support.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 128;
constexpr int kTiles = kThreads / 32;

__global__ void normalise(float* values) {
  __shared__ float tile_sums[kTiles], shifted[kTiles];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  float value = values[block.thread_rank()], sum = value;
  for (int offset = 16; offset > 0; offset /= 2) sum += tile.shfl_xor(sum, offset);
  if (tile.thread_rank() == 0) tile_sums[tile.meta_group_rank()] = sum;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    if (tile.thread_rank() < kTiles) shifted[tile.thread_rank()] = tile_sums[(tile.thread_rank() + 1) % kTiles];
    tile.sync();
    if (tile.thread_rank() == 0)
      for (int i = 1; i < kTiles; i++) shifted[0] += shifted[i];
  }
  block.sync();
  values[block.thread_rank()] = value / shifted[0];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* values;
  CHECK(cudaMalloc(&values, kThreads * sizeof(float)));
  upload(values, std::vector<float>(kThreads, static_cast<float>(ranks.rank + 1)));
  normalise<<<1, kThreads>>>(values);
  CHECK(ncclAllReduce(values, values, kThreads, ncclFloat, ncclSum, ranks.comm, nullptr));
  long wrong = 0;
  for (float value : download(values, kThreads)) wrong += value != static_cast<float>(ranks.count) / kThreads;
  CHECK(cudaFree(values));
  return ranks.verdict(wrong);
}
