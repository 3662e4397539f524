// The receiver resets the signal after every chunk, while the sender, which asks for no credit, may have sent the next.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kChunks = 3;
constexpr size_t kBytes = 128;

__global__ void stream_chunks(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  for (int chunk = 0; chunk < kChunks; chunk++) {
    if (comm.rank == 0) {
      gin.put(world, 1, window, kBytes * (1 + chunk), window, 0, kBytes, ncclGin_SignalInc{0});  // FAULT
    } else {
      gin.waitSignal(ncclCoopThread(), 0, 1);  // FAULT
      gin.resetSignal(0);  // FAULT
    }
  }
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
    stream_chunks<<<1, 1>>>(dev_comm, window.handle);
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
