// Warm-up rounds raise a signal; the timed round's shadow starts from zero again and waits for a value long reached.
// ranks: 2
// fault: stale_wait
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void round_trip(ncclDevComm comm, ncclWindow_t window, uint64_t least) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, 1024, window, 0, 512, ncclGin_SignalInc{0}, ncclGin_None{},
          ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, least);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 4096);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  for (uint64_t round = 1; round <= 3; round++) {
    round_trip<<<1, 32>>>(dev_comm, window.handle, round);
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
  }
#ifdef FAULT
  round_trip<<<1, 32>>>(dev_comm, window.handle, 1);
#else
  round_trip<<<1, 32>>>(dev_comm, window.handle, 4);
#endif
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
