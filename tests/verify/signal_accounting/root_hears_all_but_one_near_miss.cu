// All others acknowledge a broadcast, and the root waits for all of them.
// ranks: 4
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr size_t kBytes = 512;

__global__ void broadcast(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 1};
  ncclTeam world = ncclTeamWorld(comm);
  if (comm.rank != 0) {
    gin.waitSignal(ncclCoopThread(), 0, 1);
    gin.signal(world, 0, ncclGin_SignalInc{1});
    return;
  }
  for (int peer = 1; peer < comm.nRanks; peer++)
    gin.put(world, peer, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopThread(), 1, comm.nRanks - 1);
  gin.flush(ncclCoopThread());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 4096);
    CHECK(cudaMemset(window.base, 0, 4096));
    CHECK(cudaDeviceSynchronize());
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 2;
    requirements.ginCounterCount = 2;
    requirements.ginContextCount = 2;
    requirements.barrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    MPI_Barrier(MPI_COMM_WORLD);
    broadcast<<<1, 1>>>(dev_comm, window.handle);
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
