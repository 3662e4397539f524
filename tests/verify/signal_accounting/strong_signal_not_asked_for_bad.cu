// The device communicator is made without strong signals, and a kernel sends one.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
#define CUCO_NCCL_VERSION 23007
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16), window, slot(0), kBytes,  // FAULT
            ncclGin_StrongSignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, 1);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];
}

int main(int argc, char** argv) {
  ncclDevCommRequirements needs = requirements_of_pair();
  needs.ginStrongSignalsRequired = false;
  Pair pair(&argc, &argv, NCCL_WIN_COLL_SYMMETRIC, needs);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
