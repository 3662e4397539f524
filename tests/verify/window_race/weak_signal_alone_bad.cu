// A weak signal without a put follows the put: it has nothing to cover.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x == 0) {
    gin.put(world, 1 - comm.rank, window, slot(16), window, slot(0), kBytes);  // FAULT
    gin.signal(world, 1 - comm.rank, ncclGin_WeakSignalAdd{1, 5});
  }
  gin.waitSignal(ncclCoopCta(), 1, 5);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
