// Credits for two slots: the last two are left over, for the chunks that would come next.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

constexpr int kChunks = 5, kStaging = 2;
constexpr ncclGinSignal_t kFull = 0, kFree = 1, kTypo = 2;

__device__ void send(const ncclGin& gin, ncclWindow_t window) {
  for (int chunk = 0; chunk < kChunks; chunk++) {
    if (chunk >= kStaging) gin.waitSignal(ncclCoopThread(), kFree, chunk - kStaging + 1);
    gin.put(ncclTeamWorld(gin.comm), 1, window, slot(16 + chunk % kStaging), window, slot(chunk), kBytes,
            ncclGin_SignalInc{kFull});
  }
}

__device__ void receive(const ncclGin& gin, ncclWindow_t window, int* sums) {
  for (int chunk = 0; chunk < kChunks; chunk++) {
    gin.waitSignal(ncclCoopThread(), kFull, chunk + 1);
    sums[0] += *numbers_at(window, 16 + chunk % kStaging);
    gin.signal(ncclTeamWorld(gin.comm), 0, ncclGin_SignalInc{kFree});
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
