// The device communicator is made without strong signals, so that a plain SignalInc is weak.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#define CUCO_NCCL_VERSION 23007
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x == 0) {
    gin.put(world, 1 - comm.rank, window, slot(16), window, slot(0), kBytes);  // FAULT
    gin.put(world, 1 - comm.rank, window, slot(17), window, slot(1), kBytes, ncclGin_SignalInc{0});
  }
  gin.waitSignal(ncclCoopCta(), 0, 1);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x] + numbers_at(window, 17)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  ncclDevCommRequirements needs = requirements_of_pair();
  needs.ginStrongSignalsRequired = false;
  Pair pair(&argc, &argv, NCCL_WIN_COLL_SYMMETRIC, needs);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
