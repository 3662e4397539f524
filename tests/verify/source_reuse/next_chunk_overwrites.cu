// A staging buffer is refilled for the next put before the first one has been read.
// ranks: 2
// nodes: 2
// fault: source_reuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kElements = 1024;

__global__ void stream_out(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  auto* staging = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int chunk = 0; chunk < 4; chunk++) {
    for (int i = threadIdx.x; i < kElements; i += blockDim.x) staging[i] = chunk * kElements + i;
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, (chunk + 1) * kElements * sizeof(int), window, 0,
            kElements * sizeof(int), ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());
#ifndef FAULT
    gin.flush(ncclCoopCta());
#endif
  }
  gin.waitSignal(ncclCoopCta(), 0, 4);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 5 * kElements * sizeof(int));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  stream_out<<<1, 128>>>(dev_comm, window.handle);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
