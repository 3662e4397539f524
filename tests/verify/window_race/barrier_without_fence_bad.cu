// Since 2.30 a barrier over the network with fence level None only meets: puts before it may still be under way.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#define CUCO_NCCL_VERSION 23007
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16), window, slot(0), kBytes);  // FAULT
  ncclGinBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), gin, ncclTeamTagRail(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::None);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
