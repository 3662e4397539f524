// Both ranks take the locks in one order, by rank; waiting for a held lock is no deadlock.
// ranks: 2
// expect: no findings
#include <nccl_device.h>

#include <cuda/atomic>

#include "../../simulate/support.h"

constexpr int kRounds = 32;
constexpr int kStart = 1000;
constexpr size_t kLockAt = 0, kBalanceAt = 128, kWindowBytes = 256;

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__device__ void lock(ncclWindow_t window, int owner) {
  Word word(*static_cast<unsigned*>(ncclGetLsaPointer(window, kLockAt, owner)));
  while (word.exchange(1, cuda::memory_order_acquire) != 0) {
  }
}

__device__ void unlock(ncclWindow_t window, int owner) {
  Word(*static_cast<unsigned*>(ncclGetLsaPointer(window, kLockAt, owner))).store(0, cuda::memory_order_release);
}

__device__ int* balance(ncclWindow_t window, int owner) {
  return static_cast<int*>(ncclGetLsaPointer(window, kBalanceAt, owner));
}

__global__ void transfer(ncclDevComm comm, ncclWindow_t window, int amount) {
  ncclLsaBarrierSession<ncclCoopThread> barrier{ncclCoopThread(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel);
  int own = comm.lsaRank, peer = 1 - comm.lsaRank;
  int first = own < peer ? own : peer, second = own < peer ? peer : own;
  for (int round = 0; round < kRounds; round++) {
    lock(window, first);
    __nanosleep(500);  // Stands for the look-up that finds the second account.
    lock(window, second);
    *balance(window, own) -= amount;
    *balance(window, peer) += amount;
    unlock(window, second);
    unlock(window, first);
  }
  barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, kWindowBytes);
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    CHECK(cudaMemset(window.base, 0, kWindowBytes));
    upload(reinterpret_cast<int*>(window.base + kBalanceAt), std::vector<int>{kStart});
    transfer<<<1, 1>>>(dev_comm, window.handle, ranks.rank + 1);
    CHECK(cudaDeviceSynchronize());
    // Rank 0 gives 1 a round, rank 1 gives 2.
    int expected = kStart + (ranks.rank == 0 ? kRounds : -kRounds);
    wrong += download(reinterpret_cast<int*>(window.base + kBalanceAt), 1)[0] != expected;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
