// Ranks disagree about the number of elements.
// ranks: 3
// fault: collective_mismatch
#include "../../simulate/support.h"

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* values;
  CHECK(cudaMalloc(&values, 4096));
  CHECK(cudaMemset(values, 0, 4096));
  size_t count = 1000;
#ifdef FAULT
  if (ranks.rank == 2) count = 999;
#endif
  CHECK(ncclAllReduce(values, values, count, ncclFloat, ncclSum, ranks.comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(values));
  return 0;
}
