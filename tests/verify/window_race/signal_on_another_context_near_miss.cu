// Put and signal go out on the same context, and another context is busy beside it.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin data{comm, 0}, control{comm, 1};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x == 0) {
    data.put(world, 1 - comm.rank, window, slot(16), window, slot(0), kBytes);
    data.signal(world, 1 - comm.rank, ncclGin_SignalInc{0});
    control.signal(world, 1 - comm.rank, ncclGin_SignalInc{0});
  }
  data.waitSignal(ncclCoopCta(), 0, 1);
  control.waitSignal(ncclCoopCta(), 0, 1);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
