// SignalInc and SignalAdd on one signal without a reset between.
// ranks: 2
// fault: signal_accounting
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void notify(ncclDevComm comm) {
  ncclGin gin{comm, 0};
  int peer = 1 - comm.rank;
  gin.signal(ncclTeamWorld(comm), peer, ncclGin_SignalAdd{0, 3});
#ifdef FAULT
  gin.signal(ncclTeamWorld(comm), peer, ncclGin_SignalInc{0});
#else
  gin.signal(ncclTeamWorld(comm), peer, ncclGin_SignalAdd{0, 1});
#endif
  gin.waitSignal(ncclCoopThread(), 0, 4);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  notify<<<1, 1>>>(dev_comm);
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
