// All ranks read the signal's value before any of them sends, which a barrier sees to.
// ranks: 2
// expect: no findings
#include "../pair.h"

__global__ void late_start(long spins, int* sums) {
  for (long i = 0; i < spins; i++) sums[i % kCount] += 1;
}

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  uint64_t before = gin.readSignal(0);
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16), window, slot(0), kBytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, before + 1);
  sums[threadIdx.x] += numbers_at(window, 16)[threadIdx.x];
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  if (pair.ranks.rank == 1) late_start<<<1, 1>>>(100000, pair.sums);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
