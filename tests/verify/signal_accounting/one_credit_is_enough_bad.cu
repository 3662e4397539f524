// Both of a chunk's halves raise the signal that is awaited once: the second can never be asked for.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
#include "../pair.h"

__global__ void stream_chunks(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  if (comm.rank == 0) {
    for (int half = 0; half < 2; half++)
      gin.put(world, 1, window, slot(16 + half), window, slot(half), kBytes, ncclGin_SignalInc{0});  // FAULT
  } else {
    gin.waitSignal(ncclCoopThread(), 0, 1);  // FAULT
    sums[0] += *numbers_at(window, 16);
  }
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  stream_chunks<<<1, 1>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
