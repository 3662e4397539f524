// ncclGroupStart without its end: nothing of the group ever runs.
// ranks: 2
// fault: collective_mismatch
#include "../../simulate/support.h"

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int* values;
  CHECK(cudaMalloc(&values, 4096));
  CHECK(cudaMemset(values, 0, 4096));
  CHECK(ncclGroupStart());
  CHECK(ncclAllReduce(values, values, 64, ncclInt, ncclSum, ranks.comm, nullptr));
#ifndef FAULT
  CHECK(ncclGroupEnd());
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(values));
  return 0;
}
