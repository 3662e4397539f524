// The signal counts bytes and is never reset; every launch waits for the bytes of all messages so far.
// ranks: 3
// nodes: 3
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kLaunches = 3;
constexpr size_t kBytes = 256;

__global__ void send_on(ncclDevComm comm, ncclWindow_t window, int launch) {
  ncclGin gin{comm, 0};
  int next = (comm.rank + 1) % comm.nRanks;
  gin.put(ncclTeamWorld(comm), next, window, kBytes * (1 + launch), window, 0, kBytes,
          ncclGin_SignalAdd{1, kBytes});
  gin.waitSignal(ncclCoopThread(), 1, kBytes * (launch + 1));
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
    for (int launch = 0; launch < kLaunches; launch++) send_on<<<1, 1>>>(dev_comm, window.handle, launch);
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
