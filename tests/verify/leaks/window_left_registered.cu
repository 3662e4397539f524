// A window and its memory outlive the communicator.
// ranks: 2
// fault: leak
#include "../../simulate/support.h"

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  char* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 8192));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(ranks.comm, memory, 8192, &window, NCCL_WIN_COLL_SYMMETRIC));
  CHECK(cudaMemset(memory, 0, 8192));
  CHECK(cudaDeviceSynchronize());
#ifndef FAULT
  CHECK(ncclCommWindowDeregister(ranks.comm, window));
  CHECK(ncclMemFree(memory));
#endif
  return 0;
}
