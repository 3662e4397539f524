// The offset on the target leaves the window for the last rank.
// ranks: 3
// fault: memory_access
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void scatter(ncclDevComm comm, ncclWindow_t window, size_t bytes) {
  ncclGin gin{comm, 0};
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
    gin.put(ncclTeamWorld(comm), peer, window, (comm.rank + 1) * bytes, window, 0, bytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, comm.nRanks);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t bytes = 4096;
  size_t slots = ranks.count + 1;
#ifdef FAULT
  slots = ranks.count;
#endif
  Window window(ranks.comm, slots * bytes);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  scatter<<<1, 32>>>(dev_comm, window.handle, bytes);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
