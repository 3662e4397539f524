// The rows do not divide evenly, and the last rank gathers with its own smaller count.
// ranks: 3
// expect-finding: collective_mismatch
#include <algorithm>

#include "../../simulate/support.h"

constexpr int kRows = 100;

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int share = (kRows + ranks.count - 1) / ranks.count;
  int first = ranks.rank * share;
  int own_rows = std::min(share, kRows - first);
  int *own, *all;
  CHECK(cudaMalloc(&own, share * sizeof(int)));
  CHECK(cudaMalloc(&all, ranks.count * share * sizeof(int)));
  CHECK(cudaMemset(own, 0, share * sizeof(int)));
  std::vector<int> rows(own_rows);
  for (int i = 0; i < own_rows; i++) rows[i] = first + i;
  upload(own, rows);
  CHECK(ncclAllGather(own, all, own_rows, ncclInt, ranks.comm, nullptr));  // FAULT
  CHECK(cudaDeviceSynchronize());
  std::vector<int> host = download(all, kRows);
  long wrong = 0;
  for (int i = 0; i < kRows; i++) wrong += host[i] != i;
  CHECK(cudaFree(all));
  CHECK(cudaFree(own));
  return ranks.verdict(wrong);
}
