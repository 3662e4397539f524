// Two ranks send to each other before they receive, outside a group.
// ranks: 2
// fault: deadlock
#include "../../simulate/support.h"

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* buffer;
  CHECK(cudaMalloc(&buffer, 2048 * sizeof(float)));
  int peer = 1 - ranks.rank;
#ifndef FAULT
  CHECK(ncclGroupStart());
#endif
  CHECK(ncclSend(buffer, 1024, ncclFloat, peer, ranks.comm, nullptr));
  CHECK(ncclRecv(buffer + 1024, 1024, ncclFloat, peer, ranks.comm, nullptr));
#ifndef FAULT
  CHECK(ncclGroupEnd());
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(buffer));
  return 0;
}
