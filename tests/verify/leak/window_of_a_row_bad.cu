// Every step registers a window over its row communicator; the communicator goes, the window was never deregistered.
// ranks: 4
// expect-finding: leak
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void touch(ncclWindow_t window) { *static_cast<int*>(ncclGetLocalPointer(window, 0)) = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclComm_t row;
  CHECK(ncclCommSplit(ranks.comm, ranks.rank % 2, ranks.rank, &row, nullptr));
  char* memory;
  ncclWindow_t window;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 4096));
  CHECK(ncclCommWindowRegister(row, memory, 4096, &window, NCCL_WIN_COLL_SYMMETRIC));  // FAULT
  touch<<<1, 1>>>(window);
  long wrong = download(reinterpret_cast<int*>(memory), 1)[0] != 1;
  CHECK(ncclMemFree(memory));
  CHECK(ncclCommDestroy(row));  // FAULT
  return ranks.verdict(wrong);
}
