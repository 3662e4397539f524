// Ranks call two collectives in different orders.
// ranks: 2
// fault: collective_mismatch
#include "../../simulate/support.h"

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int* values;
  CHECK(cudaMalloc(&values, 4096));
  CHECK(cudaMemset(values, 0, 4096));
  bool reduce_first = true;
#ifdef FAULT
  reduce_first = ranks.rank == 0;
#endif
  if (reduce_first) CHECK(ncclAllReduce(values, values, 64, ncclInt, ncclSum, ranks.comm, nullptr));
  CHECK(ncclAllGather(values, values + 256, 64, ncclInt, ranks.comm, nullptr));
  if (!reduce_first) CHECK(ncclAllReduce(values, values, 64, ncclInt, ncclSum, ranks.comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(values));
  return 0;
}
