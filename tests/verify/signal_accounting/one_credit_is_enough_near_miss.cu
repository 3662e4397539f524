// Three chunks through two slots: one credit is awaited, the two after it answer chunks that came after that wait.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void stream_chunks(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  for (int chunk = 0; chunk < 3; chunk++) {
    if (comm.rank == 0) {
      if (chunk == 2) gin.waitSignal(ncclCoopThread(), 1, 1);
      gin.put(world, 1, window, slot(16 + chunk % 2), window, slot(chunk), kBytes, ncclGin_SignalInc{0});
    } else {
      gin.waitSignal(ncclCoopThread(), 0, chunk + 1);
      sums[0] += *numbers_at(window, 16 + chunk % 2);
      gin.signal(world, 0, ncclGin_SignalInc{1});
    }
  }
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  stream_chunks<<<1, 1>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
