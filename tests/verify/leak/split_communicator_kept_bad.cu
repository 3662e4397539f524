// The communicator of the subgroup is never destroyed; destroying its parent does not do it.
// ranks: 3
// expect-finding: leak
#include "../../simulate/support.h"

constexpr int kCount = 40;

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int color = ranks.rank < 2 ? 0 : NCCL_SPLIT_NOCOLOR;
  ncclComm_t pair;
  CHECK(ncclCommSplit(ranks.comm, color, ranks.rank, &pair, nullptr));  // FAULT
  long wrong = 0;
  if (color == 0) {
    int* values;
    CHECK(cudaMalloc(&values, kCount * sizeof(int)));
    upload(values, std::vector<int>(kCount, 10 + ranks.rank));
    CHECK(ncclAllReduce(values, values, kCount, ncclInt, ncclSum, pair, nullptr));
    CHECK(cudaDeviceSynchronize());
    for (int value : download(values, kCount)) wrong += value != 21;
    CHECK(cudaFree(values));
  }
  return ranks.verdict(wrong);
}
