// The kernels that prompts show for GIN, called again and again without a meeting of the ranks.
// ranks: 4
// nodes: 2
#include <nccl_device.h>

#include "../../prompts/examples/gin_chunks.cuh"
#include "../../prompts/examples/gin_puts.cuh"
#include "../simulate/support.h"

constexpr int kRounds = 20, kChunks = 3;
constexpr size_t kChunk = 64, kCount = kChunk * kChunks;

__global__ void fill(float* values, size_t count, int rank, int round) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) values[i] = 8 * round + rank + i / kCount * 2;
}
__global__ void add(const float* values, float* sum, size_t count) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) sum[i] += values[i];
}

float filled(int round, int rank, int part) { return 8 * round + rank + part * 2; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    size_t bytes = kCount * sizeof(float), all = ranks.count * bytes, words = ranks.count * kCount;
    Window send(ranks.comm, all), receive(ranks.comm, all), squares(ranks.comm, bytes), inbox(ranks.comm, bytes);
    float *all_sum = nullptr, *folded = nullptr;
    CHECK(cudaMalloc(&all_sum, all));
    CHECK(cudaMalloc(&folded, bytes));
    CHECK(cudaMemset(all_sum, 0, all));
    CHECK(cudaMemset(folded, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    ncclDevCommRequirements requirements{};
    requirements.ginContextCount = 1;
    requirements.ginSignalCount = 2 * ranks.count;
    ncclDevComm comm, chunk_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &comm));
    requirements.ginSignalCount = kChunks + 1;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &chunk_comm));
    for (int round = 1; round <= kRounds; round++) {
      fill<<<1, 64>>>((float*)send.base, words, ranks.rank, round);
      exchange_by_puts<<<1, 64>>>(comm, send.handle, receive.handle, bytes, round);
      add<<<1, 64>>>((const float*)receive.base, all_sum, words);
      square_and_put<<<1, 64>>>(chunk_comm, squares.handle, inbox.handle, (const float*)send.base, kChunk, kChunks, round);
      fold<<<1, 64>>>(chunk_comm, inbox.handle, folded, kChunk, kChunks, round);
    }
    std::vector<float> sums = download(all_sum, words), folds = download(folded, kCount);
    int before = (ranks.rank + ranks.count - 1) % ranks.count;
    for (size_t i = 0; i < words; i++) {
      float expected = 0, squared = 0;
      for (int round = 1; round <= kRounds; round++) expected += filled(round, i / kCount, ranks.rank);
      for (int round = 1; round <= kRounds; round++) squared += filled(round, before, 0) * filled(round, before, 0);
      wrong += sums[i] != expected || (i < kCount && folds[i] != squared);
    }
    CHECK(ncclDevCommDestroy(ranks.comm, &comm));
    CHECK(ncclDevCommDestroy(ranks.comm, &chunk_comm));
    for (float* memory : {all_sum, folded}) CHECK(cudaFree(memory));
  }
  return ranks.verdict(wrong);
}
