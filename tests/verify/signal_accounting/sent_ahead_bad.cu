// Every launch sends two launches' data and awaits one launch's: what is over can never be caught up with.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
#include "../pair.h"

constexpr int kLaunches = 3;

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int launch, int* sums) {
  ncclGin gin{comm, 0};
  auto send = [&](int round) {
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16 + round), window, slot(round), kBytes,  // FAULT
            ncclGin_SignalInc{static_cast<ncclGinSignal_t>(round % 2)});
  };
  send(2 * launch);
  send(2 * launch + 1);
  gin.waitSignal(ncclCoopThread(), 0, launch + 1);
  sums[0] += *numbers_at(window, 16 + 2 * launch);
}

// When all have met, no put is under way any more.
__global__ void close(ncclDevComm comm) {
  ncclGinBarrierSession<ncclCoopThread> barrier{ncclCoopThread(), ncclGin{comm, 0}, ncclTeamTagRail(), 0};
  barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  for (int launch = 0; launch < kLaunches; launch++)
    exchange<<<1, 1>>>(pair.dev_comm, pair.window.handle, launch, pair.sums);
  close<<<1, 1>>>(pair.dev_comm);
}
