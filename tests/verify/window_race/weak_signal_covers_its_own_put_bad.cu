// A weak signal rides on the second put and says nothing of the first.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x == 0) {
    gin.put(world, 1 - comm.rank, window, slot(16), window, slot(0), kBytes);  // FAULT
    gin.put(world, 1 - comm.rank, window, slot(17), window, slot(1), kBytes, ncclGin_WeakSignalInc{0});
  }
  gin.waitSignal(ncclCoopCta(), 0, 1);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x] + numbers_at(window, 17)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
