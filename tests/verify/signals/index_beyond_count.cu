// One signal per peer, but one too few was asked for.
// ranks: 3
// fault: signal_accounting
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void notify(ncclDevComm comm) {
  ncclGin gin{comm, 0};
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
    gin.signal(ncclTeamWorld(comm), peer, ncclGin_SignalInc{static_cast<ncclGinSignal_t>(comm.rank)});
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) gin.waitSignal(ncclCoopThread(), peer, 1);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclDevCommRequirements requirements{};
#ifdef FAULT
  requirements.ginSignalCount = ranks.count - 1;
#else
  requirements.ginSignalCount = ranks.count;
#endif
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  notify<<<1, 32>>>(dev_comm);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
