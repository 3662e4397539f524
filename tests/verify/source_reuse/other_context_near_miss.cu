// The data goes out on contexts 0 and 1 in turn, and each refill flushes the context that its buffer used.
// ranks: 2
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kChunks = 4;
constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void send(ncclDevComm comm, ncclWindow_t staging, ncclWindow_t inbox) {
  ncclGin even{comm, 0}, odd{comm, 1};
  for (int chunk = 0; chunk < kChunks; chunk++) {
    const ncclGin& gin = chunk % 2 ? odd : even;
    static_cast<int*>(ncclGetLocalPointer(staging, 0))[threadIdx.x] = 1000 * chunk + threadIdx.x;
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, inbox, chunk * kBytes, staging, 0, kBytes, ncclGin_SignalInc{0},
            ncclGin_None{}, ncclCoopCta());
    gin.flush(ncclCoopCta());
  }
  even.waitSignal(ncclCoopCta(), 0, kChunks / 2);
  odd.waitSignal(ncclCoopCta(), 0, kChunks / 2);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window staging(ranks.comm, kBytes), inbox(ranks.comm, kChunks * kBytes);
  ncclDevCommRequirements requirements{};
  requirements.ginContextCount = 2;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  send<<<1, kCount>>>(dev_comm, staging.handle, inbox.handle);
  std::vector<int> got = download(reinterpret_cast<int*>(inbox.base), kChunks * kCount);
  long wrong = 0;
  for (int i = 0; i < kChunks * kCount; i++) wrong += got[i] != i / kCount * 1000 + i % kCount;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
