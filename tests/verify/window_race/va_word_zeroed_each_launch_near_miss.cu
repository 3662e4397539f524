// The signal word only ever grows, and each launch waits for as many as there were launches.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int launch) {
  ncclGin gin{comm, 0};
  gin.signal(ncclTeamWorld(comm), 1 - comm.rank, ncclGin_StrongVASignalInc{window, slot(31)});
  gin.waitSignal(ncclCoopThread(), window, slot(31), launch);
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv, NCCL_WIN_COLL_SYMMETRIC | NCCL_WIN_STRICT_ORDERING);
  for (int launch = 1; launch <= 3; launch++) exchange<<<1, 1>>>(pair.dev_comm, pair.window.handle, launch);
}
