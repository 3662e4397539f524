// Only the even row has something to reduce and does it, over a communicator of its own.
// ranks: 4
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCount = 64;

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int row = ranks.rank / 2;
  ncclComm_t of_row;
  CHECK(ncclCommSplit(ranks.comm, row, ranks.rank, &of_row, nullptr));
  int* values;
  CHECK(cudaMalloc(&values, kCount * sizeof(int)));
  upload(values, std::vector<int>(kCount, ranks.rank + 1));
  if (row == 0)
    CHECK(ncclAllReduce(values, values, kCount, ncclInt, ncclSum, of_row, nullptr));
  long wrong = 0;
  for (int value : download(values, kCount)) wrong += value != (row == 0 ? 3 : ranks.rank + 1);
  CHECK(cudaFree(values));
  CHECK(ncclCommDestroy(of_row));
  return ranks.verdict(wrong);
}
