// A row of the grid of ranks gathers its parts; the sum runs over as many parts as the row has ranks.
// ranks: 4
// expect: no findings
#include "../../simulate/support.h"

constexpr int kPart = 96;

__global__ void fill(float* part, float value) { part[threadIdx.x] = value; }

__global__ void add_parts(const float* parts, int part_count, float* sum) {
  float total = 0;
  for (int part = 0; part < part_count; part++) total += parts[part * kPart + threadIdx.x];
  sum[threadIdx.x] = total;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclComm_t row;
  CHECK(ncclCommSplit(ranks.comm, ranks.rank / 2, ranks.rank, &row, nullptr));
  int row_size = 0;
  CHECK(ncclCommCount(row, &row_size));
  float *part, *parts, *sum;
  CHECK(cudaMalloc(&part, kPart * sizeof(float)));
  CHECK(cudaMalloc(&parts, ranks.count * kPart * sizeof(float)));
  CHECK(cudaMalloc(&sum, kPart * sizeof(float)));
  fill<<<1, kPart>>>(part, static_cast<float>(ranks.rank));
  CHECK(ncclAllGather(part, parts, kPart, ncclFloat, row, nullptr));
  add_parts<<<1, kPart>>>(parts, row_size, sum);
  std::vector<float> got = download(sum, kPart);
  long wrong = 0;
  float expected = static_cast<float>(ranks.rank / 2 * 4 + 1);
  for (float total : got) wrong += total != expected;
  CHECK(cudaFree(sum));
  CHECK(cudaFree(parts));
  CHECK(cudaFree(part));
  CHECK(ncclCommDestroy(row));
  return ranks.verdict(wrong);
}
