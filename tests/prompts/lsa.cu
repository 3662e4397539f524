// The kernels that prompts show for LSA, called again and again without a meeting of the ranks.
// ranks: 4
#include <nccl_device.h>

#include <cuda/atomic>

#include "../../prompts/examples/lsa_counters.cuh"
#include "../../prompts/examples/lsa_stores.cuh"
#include "../simulate/support.h"

constexpr int kRounds = 20;
constexpr size_t kCount = 200;

__global__ void fill(float* values, int rank, int round) {
  for (size_t i = threadIdx.x; i < kCount; i += blockDim.x) values[i] = 1000 * round + 10 * rank + i % 7;
}
__global__ void add(const float* values, float* sum, size_t count) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) sum[i] += values[i];
}

long wrong_in(const std::vector<float>& sums, int first_rank) {
  long wrong = 0;
  for (size_t i = 0; i < sums.size(); i++) {
    float expected = 0;
    for (int round = 1; round <= kRounds; round++) expected += 1000 * round + 10 * (first_rank + i / kCount) + i % kCount % 7;
    wrong += sums[i] != expected;
  }
  return wrong;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    size_t bytes = kCount * sizeof(float);
    Window gathered(ranks.comm, ranks.count * bytes), inbox(ranks.comm, bytes), counters(ranks.comm, 8);
    CHECK(cudaMemset(counters.base, 0, 8));
    float *mine = nullptr, *all_sum = nullptr, *passed_sum = nullptr;
    CHECK(cudaMalloc(&mine, bytes));
    CHECK(cudaMalloc(&all_sum, ranks.count * bytes));
    CHECK(cudaMalloc(&passed_sum, bytes));
    CHECK(cudaMemset(all_sum, 0, ranks.count * bytes));
    CHECK(cudaMemset(passed_sum, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 2;
    ncclDevComm comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &comm));
    for (int round = 1; round <= kRounds; round++) {
      fill<<<1, 64>>>(mine, ranks.rank, round);
      gather_by_stores<<<2, 64>>>(comm, gathered.handle, mine, kCount);
      add<<<1, 64>>>((const float*)gathered.base, all_sum, ranks.count * kCount);
      pass_on<<<1, 64>>>(comm, inbox.handle, counters.handle, mine, passed_sum, kCount, round);
    }
    wrong += wrong_in(download(all_sum, ranks.count * kCount), 0);
    wrong += wrong_in(download(passed_sum, kCount), (ranks.rank + ranks.count - 1) % ranks.count);
    CHECK(ncclDevCommDestroy(ranks.comm, &comm));
    for (float* memory : {mine, all_sum, passed_sum}) CHECK(cudaFree(memory));
  }
  return ranks.verdict(wrong);
}
