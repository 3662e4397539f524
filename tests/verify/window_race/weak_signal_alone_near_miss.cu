// A strong signal without a put follows the put and covers it.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x == 0) {
    gin.put(world, 1 - comm.rank, window, slot(16), window, slot(0), kBytes);
    gin.signal(world, 1 - comm.rank, ncclGin_StrongSignalAdd{1, 5});
  }
  gin.waitSignal(ncclCoopCta(), 1, 5);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
