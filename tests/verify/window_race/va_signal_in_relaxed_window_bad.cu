// The signal is a word of a window without strict ordering: the NIC may raise it before it has written the payload.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16), window, slot(0), kBytes,  // FAULT
            ncclGin_VASignalInc{window, slot(31)});
  gin.waitSignal(ncclCoopCta(), window, slot(31), 1);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv, NCCL_WIN_COLL_SYMMETRIC);
  exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
