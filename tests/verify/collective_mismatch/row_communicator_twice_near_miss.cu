// Every rank reduces over its row and then over its column, two communicators of the same size.
// ranks: 4
// expect: no findings
#include "../../simulate/support.h"

constexpr int kSide = 2;
constexpr int kCount = 128;

struct Grid {
  ncclComm_t row, column;

  explicit Grid(const Ranks& ranks) {
    CHECK(ncclCommSplit(ranks.comm, ranks.rank / kSide, ranks.rank % kSide, &row, nullptr));
    CHECK(ncclCommSplit(ranks.comm, ranks.rank % kSide, ranks.rank / kSide, &column, nullptr));
  }
  ~Grid() {
    CHECK(ncclCommDestroy(row));
    CHECK(ncclCommDestroy(column));
  }
};

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int* values;
  CHECK(cudaMalloc(&values, kCount * sizeof(int)));
  upload(values, std::vector<int>(kCount, 1 << ranks.rank));
  {
    Grid grid(ranks);
    CHECK(ncclAllReduce(values, values, kCount, ncclInt, ncclSum, grid.row, nullptr));
    CHECK(ncclAllReduce(values, values, kCount, ncclInt, ncclSum, grid.column, nullptr));
    CHECK(cudaDeviceSynchronize());
  }
  long wrong = 0;
  for (int value : download(values, kCount)) wrong += value != 15;
  CHECK(cudaFree(values));
  return ranks.verdict(wrong);
}
