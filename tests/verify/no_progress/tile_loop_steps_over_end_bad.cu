// The tile loop ends on equality; with ten tiles and four blocks most blocks step over the end and go on for ever.
// ranks: 2
// expect-finding: no_progress
#include "../../simulate/support.h"

constexpr int kTile = 64;
constexpr int kBlocks = 4;
constexpr unsigned kTiles = 10;

__global__ void sum_tiles(const int* values, unsigned tile_count, int* tile_sums, unsigned* visits) {
  for (unsigned tile = blockIdx.x; tile != tile_count; tile += gridDim.x) {  // FAULT
    if (threadIdx.x == 0) atomicAdd(visits, 1u);                             // FAULT
    if (tile >= kTiles) continue;
    int sum = values[tile * kTile + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(&tile_sums[tile], sum);
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int *values, *sums;
  unsigned* visits;
  CHECK(cudaMalloc(&values, kTiles * kTile * sizeof(int)));
  CHECK(cudaMalloc(&sums, kTiles * sizeof(int)));
  CHECK(cudaMalloc(&visits, sizeof(unsigned)));
  CHECK(cudaMemset(sums, 0, kTiles * sizeof(int)));
  CHECK(cudaMemset(visits, 0, sizeof(unsigned)));
  upload(values, std::vector<int>(kTiles * kTile, ranks.rank + 1));
  unsigned tile_count = kTiles;
  sum_tiles<<<kBlocks, kTile>>>(values, tile_count, sums, visits);
  CHECK(ncclAllReduce(sums, sums, kTiles, ncclInt, ncclSum, ranks.comm, nullptr));
  long wrong = 0;
  for (int sum : download(sums, kTiles)) wrong += sum != kTile * ranks.count * (ranks.count + 1) / 2;
  wrong += download(visits, 1)[0] != tile_count;
  CHECK(cudaFree(visits));
  CHECK(cudaFree(sums));
  CHECK(cudaFree(values));
  return ranks.verdict(wrong);
}
