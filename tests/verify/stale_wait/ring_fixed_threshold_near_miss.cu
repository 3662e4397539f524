// The threshold grows with the step: only the left neighbour raises this signal, once a step.
// ranks: 4
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 48;
constexpr size_t kBytes = kCount * sizeof(int);
constexpr ncclGinSignal_t kClosed = 1;  // Covers all puts before it: nothing is under way when the windows go.

// All-gather: in step s a rank passes on the block that it got in step s - 1.
__global__ void all_gather(ncclDevComm comm, ncclWindow_t blocks) {
  ncclGin gin{comm, 0};
  int n = comm.nRanks, next = (comm.rank + 1) % n;
  for (int step = 0; step + 1 < n; step++) {
    size_t at = (comm.rank + n - step) % n * kBytes;
    gin.put(ncclTeamWorld(comm), next, blocks, at, blocks, at, kBytes, ncclGin_SignalInc{0}, ncclGin_None{},
            ncclCoopCta());
    gin.waitSignal(ncclCoopCta(), 0, step + 1);
  }
  gin.signal(ncclTeamWorld(comm), next, ncclGin_SignalInc{kClosed}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), kClosed, 1);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window blocks(ranks.comm, ranks.count * kBytes);
  std::vector<int> values(ranks.count * kCount, -1);
  for (int i = 0; i < kCount; i++) values[ranks.rank * kCount + i] = ranks.rank * kCount + i;
  upload(reinterpret_cast<int*>(blocks.base), values);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 2;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  all_gather<<<1, 64>>>(dev_comm, blocks.handle);
  std::vector<int> got = download(reinterpret_cast<int*>(blocks.base), values.size());
  long wrong = 0;
  for (size_t i = 0; i < got.size(); i++) wrong += got[i] != static_cast<int>(i);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
