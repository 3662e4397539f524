// The last rank of the grid reduces over its row twice, while its column waits for it.
// ranks: 4
// expect-finding: collective_mismatch
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
    ncclComm_t second = ranks.rank == ranks.count - 1 ? grid.row : grid.column;
    CHECK(ncclAllReduce(values, values, kCount, ncclInt, ncclSum, grid.row, nullptr));  // FAULT
    CHECK(ncclAllReduce(values, values, kCount, ncclInt, ncclSum, second, nullptr));    // FAULT
    CHECK(cudaDeviceSynchronize());                                                     // FAULT
  }
  long wrong = 0;
  for (int value : download(values, kCount)) wrong += value != 15;
  CHECK(cudaFree(values));
  return ranks.verdict(wrong);
}
