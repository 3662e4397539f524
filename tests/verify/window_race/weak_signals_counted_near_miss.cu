// Four chunks raise one signal by weak increments, and the receiver takes nothing before all four have come.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

constexpr int kChunks = 4;

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0)
    for (int chunk = 0; chunk < kChunks; chunk++)
      gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16 + chunk), window, slot(chunk), kBytes,
              ncclGin_WeakSignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, kChunks);
  for (int chunk = 0; chunk < kChunks; chunk++) {
    sums[threadIdx.x] += numbers_at(window, 16 + chunk)[threadIdx.x];
  }
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
