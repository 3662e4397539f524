// The put goes out on context 0 and the signal on context 1, which may be faster.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin data{comm, 0}, control{comm, 1};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x == 0) {
    data.put(world, 1 - comm.rank, window, slot(16), window, slot(0), kBytes);  // FAULT
    control.signal(world, 1 - comm.rank, ncclGin_SignalInc{0});
  }
  control.waitSignal(ncclCoopCta(), 0, 1);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
