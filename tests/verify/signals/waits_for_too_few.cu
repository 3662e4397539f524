// Four chunks arrive, the kernel waits for three of them.
// ranks: 2
// fault: signal_accounting
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void send_chunks(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  if (threadIdx.x < 4)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, 2048 + threadIdx.x * 64, window, threadIdx.x * 64, 64,
            ncclGin_SignalInc{0});
#ifdef FAULT
  gin.waitSignal(ncclCoopCta(), 0, 3);
#else
  gin.waitSignal(ncclCoopCta(), 0, 4);
#endif
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 4096);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  send_chunks<<<1, 64>>>(dev_comm, window.handle);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
