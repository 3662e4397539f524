// Each launch begins by resetting the signal, and a barrier keeps every peer's send behind all resets.
// ranks: 2
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void reset(ncclDevComm comm) { ncclGin{comm, 0}.resetSignal(0); }

__global__ void exchange(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  ncclBarrierSession<ncclCoopThread> barrier{ncclCoopThread(), ncclTeamTagWorld(), gin, 0};
  barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopThread(), 0, 1);
  gin.flush(ncclCoopThread());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 2 * kBytes);
  std::vector<int> values(2 * kCount, ranks.rank + 5);
  upload(reinterpret_cast<int*>(window.base), values);
  ncclDevCommRequirements requirements{};
  requirements.barrierCount = 1;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  reset<<<1, 1>>>(dev_comm);
  exchange<<<1, 1>>>(dev_comm, window.handle);
  std::vector<int> got = download(reinterpret_cast<int*>(window.base), 2 * kCount);
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[kCount + i] != 6 - ranks.rank;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
