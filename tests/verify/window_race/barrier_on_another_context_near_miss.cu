// The puts and the signals of the barrier go out on context 1.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 1};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16), window, slot(0), kBytes);
  ncclGinBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), gin, ncclTeamTagRail(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
