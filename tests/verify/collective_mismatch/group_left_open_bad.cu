// The helper opens a group inside its caller's and never closes it, so no collective of either is ever launched.
// ranks: 2
// expect-finding: collective_mismatch
#include "../../simulate/support.h"

constexpr int kCount = 50;

void reduce_pair(int* a, int* b, const Ranks& ranks) {
  CHECK(ncclGroupStart());  // FAULT
  CHECK(ncclAllReduce(a, a, kCount, ncclInt, ncclSum, ranks.comm, nullptr));
  CHECK(ncclAllReduce(b, b, kCount, ncclInt, ncclMax, ranks.comm, nullptr));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int *a, *b, *c;
  for (int** buffer : {&a, &b, &c}) {
    CHECK(cudaMalloc(buffer, kCount * sizeof(int)));
    upload(*buffer, std::vector<int>(kCount, ranks.rank + 1));
  }
  CHECK(ncclGroupStart());  // FAULT
  reduce_pair(a, b, ranks);
  CHECK(ncclAllReduce(c, c, kCount, ncclInt, ncclMin, ranks.comm, nullptr));
  CHECK(ncclGroupEnd());  // FAULT
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (int value : download(a, kCount)) wrong += value != ranks.count * (ranks.count + 1) / 2;
  for (int value : download(b, kCount)) wrong += value != ranks.count;
  for (int value : download(c, kCount)) wrong += value != 1;
  for (int* buffer : {a, b, c}) CHECK(cudaFree(buffer));
  return ranks.verdict(wrong);
}
