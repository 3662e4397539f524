// A ring of puts in which one rank forgets its signal.
// ranks: 4
// fault: deadlock
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void pass_on(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  int next = (comm.rank + 1) % comm.nRanks;
#ifdef FAULT
  if (comm.rank == 2) gin.put(ncclTeamWorld(comm), next, window, 512, window, 0, 256, ncclGin_None{}, ncclGin_None{}, ncclCoopCta());
  else
#endif
  gin.put(ncclTeamWorld(comm), next, window, 512, window, 0, 256, ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, 1);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 4096);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  pass_on<<<1, 64>>>(dev_comm, window.handle);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
