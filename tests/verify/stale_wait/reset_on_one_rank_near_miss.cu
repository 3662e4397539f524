// Every round waits for the same value, which is right because every rank resets its signal between two barriers.
// ranks: 2
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 64;
constexpr int kRounds = 3;
constexpr size_t kBytes = kCount * sizeof(int);
constexpr ncclGinSignal_t kClosed = 1;  // Covers all puts before it: nothing is under way when the window goes.

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  ncclBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclTeamTagWorld(), gin, 0};
  auto* cells = static_cast<int*>(ncclGetLocalPointer(window, 0));
  int sum = 0;
  for (int round = 0; round < kRounds; round++) {
    int at = 2 * round * kCount;
    size_t from = at * sizeof(int);
    cells[at + threadIdx.x] = (comm.rank + 1) * (round + 1) * threadIdx.x;
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, from + kBytes, window, from, kBytes, ncclGin_SignalInc{0},
            ncclGin_None{}, ncclCoopCta());
    gin.waitSignal(ncclCoopCta(), 0, 1);
    sum += cells[at + kCount + threadIdx.x];
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
    if (threadIdx.x == 0) gin.resetSignal(0);
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
  }
  sums[threadIdx.x] = sum;
  gin.signal(ncclTeamWorld(comm), 1 - comm.rank, ncclGin_SignalInc{kClosed}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), kClosed, 1);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 2 * kRounds * kBytes);
  CHECK(cudaMemset(window.base, 0, 2 * kRounds * kBytes));
  int* sums;
  CHECK(cudaMalloc(&sums, kBytes));
  ncclDevCommRequirements requirements{};
  requirements.barrierCount = 1;
  requirements.ginSignalCount = 2;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  exchange<<<1, kCount>>>(dev_comm, window.handle, sums);
  std::vector<int> got = download(sums, kCount);
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != (2 - ranks.rank) * kRounds * (kRounds + 1) / 2 * i;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(cudaFree(sums));
  return ranks.verdict(wrong);
}
