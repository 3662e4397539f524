// A weak VA signal covers its own put; the header that went before it may still be under way.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  if (threadIdx.x == 0) {
    gin.putValue(world, 1 - comm.rank, window, slot(17), kCount);  // FAULT
    gin.put(world, 1 - comm.rank, window, slot(16), window, slot(0), kBytes,
            ncclGin_WeakVASignalInc{window, slot(31)});
  }
  gin.waitSignal(ncclCoopCta(), window, slot(31), 1);
  if (threadIdx.x < *numbers_at(window, 17)) sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv, NCCL_WIN_COLL_SYMMETRIC | NCCL_WIN_STRICT_ORDERING);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
