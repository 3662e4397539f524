// The signal's value before the round is read when a faster peer may have raised it: that signal is then waited for twice.
// ranks: 2
// expect-finding: deadlock
#include "../pair.h"

__global__ void late_start(long spins, int* sums) {
  for (long i = 0; i < spins; i++) sums[i % kCount] += 1;
}

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  uint64_t before = gin.readSignal(0);
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16), window, slot(0), kBytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, before + 1);  // FAULT
  sums[threadIdx.x] += numbers_at(window, 16)[threadIdx.x];
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  if (pair.ranks.rank == 1) late_start<<<1, 1>>>(100000, pair.sums);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
