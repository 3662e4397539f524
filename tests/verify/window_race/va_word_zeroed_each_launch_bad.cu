// Every launch stores zero to its own signal word first, and may wipe out the signal of a peer that is ahead.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int launch) {
  ncclGin gin{comm, 0};
  *static_cast<uint64_t*>(ncclGetLocalPointer(window, slot(31))) = 0;  // FAULT
  __threadfence_system();
  gin.signal(ncclTeamWorld(comm), 1 - comm.rank, ncclGin_StrongVASignalInc{window, slot(31)});  // FAULT
  gin.waitSignal(ncclCoopThread(), window, slot(31), 1);
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv, NCCL_WIN_COLL_SYMMETRIC | NCCL_WIN_STRICT_ORDERING);
  for (int launch = 1; launch <= 3; launch++) exchange<<<1, 1>>>(pair.dev_comm, pair.window.handle, launch);
}
