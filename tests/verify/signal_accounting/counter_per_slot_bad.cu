// Two slots use two counters, but only one was asked for.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kChunks = 4;
constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void stream_chunks(ncclDevComm comm, ncclWindow_t staging, ncclWindow_t arrived) {
  ncclGin gin{comm, 0};
  for (int chunk = 0; chunk < kChunks; chunk++) {
    ncclGinCounter_t slot = chunk % 2;
    gin.waitCounter(ncclCoopCta(), slot, chunk / 2);  // FAULT
    static_cast<int*>(ncclGetLocalPointer(staging, slot * kBytes))[threadIdx.x] = 100 * chunk + threadIdx.x;
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, arrived, chunk * kBytes, staging, slot * kBytes, kBytes,  // FAULT
            ncclGin_SignalInc{0}, ncclGin_CounterInc{slot}, ncclCoopCta());
  }
  gin.waitCounter(ncclCoopCta(), 0, kChunks / 2);
  gin.waitCounter(ncclCoopCta(), 1, kChunks / 2);  // FAULT
  gin.waitSignal(ncclCoopCta(), 0, kChunks);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window staging(ranks.comm, 2 * kBytes), arrived(ranks.comm, kChunks * kBytes);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  requirements.ginCounterCount = 1;  // FAULT
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  stream_chunks<<<1, kCount>>>(dev_comm, staging.handle, arrived.handle);
  std::vector<int> got = download(reinterpret_cast<int*>(arrived.base), kChunks * kCount);
  long wrong = 0;
  for (int i = 0; i < kChunks * kCount; i++) wrong += got[i] != i / kCount * 100 + i % kCount;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
