// The receiver gives its credits by a signal that the sender does not look at.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
#include "../pair.h"

constexpr int kChunks = 5, kStaging = 2;
constexpr ncclGinSignal_t kFull = 0, kFree = 1, kTypo = 2;

__device__ void send(const ncclGin& gin, ncclWindow_t window) {
  for (int chunk = 0; chunk < kChunks; chunk++) {
    // As many slots as chunks, so nothing has to be waited for.
    gin.put(ncclTeamWorld(gin.comm), 1, window, slot(16 + chunk), window, slot(chunk), kBytes, ncclGin_SignalInc{kFull});
  }
}

__device__ void receive(const ncclGin& gin, ncclWindow_t window, int* sums) {
  for (int chunk = 0; chunk < kChunks; chunk++) {
    gin.waitSignal(ncclCoopThread(), kFull, chunk + 1);
    sums[0] += *numbers_at(window, 16 + chunk);
    gin.signal(ncclTeamWorld(gin.comm), 0, ncclGin_SignalInc{kTypo});  // FAULT
  }
}

__global__ void stream_chunks(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  if (comm.rank == 0)
    send(gin, window);
  else
    receive(gin, window, sums);
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  stream_chunks<<<1, 1>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
