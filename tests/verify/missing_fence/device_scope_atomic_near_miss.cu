// Release and acquire without a scope written down: cuda::atomic_ref means the whole system unless told otherwise.
// ranks: 3
// expect: no findings
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kRanks = 3;
constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

std::atomic<long> wrong{0};

using Step = cuda::atomic_ref<unsigned>;

__device__ unsigned* step_of(ncclWindow_t window, int peer) {
  return static_cast<unsigned*>(ncclGetLsaPointer(window, kBytes, peer));
}

// The sum travels along the chain of ranks; each adds its own part and hands on.
__global__ void chain_sum(ncclDevComm comm, ncclWindow_t window) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  if (comm.rank > 0) {
    if (threadIdx.x == 0)
      while (Step(*step_of(window, comm.rank)).load(cuda::memory_order_acquire) == 0) continue;
    __syncthreads();
  }
  int sum = own[threadIdx.x] + comm.rank + 1;
  if (comm.rank + 1 < comm.nRanks) {
    static_cast<int*>(ncclGetLsaPointer(window, 0, comm.rank + 1))[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) Step(*step_of(window, comm.rank + 1)).store(1, cuda::memory_order_release);
  } else {
    own[threadIdx.x] = sum;
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

void run_rank(int rank, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  const size_t bytes = kBytes + sizeof(unsigned);
  int* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), bytes));
  CHECK(cudaMemset(memory, 0, bytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  chain_sum<<<1, kCount>>>(dev_comm, window);
  std::vector<int> got(kCount);
  CHECK(cudaMemcpy(got.data(), memory, kBytes, cudaMemcpyDeviceToHost));
  if (rank == kRanks - 1)
    for (int value : got) wrong += value != kRanks * (kRanks + 1) / 2;
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; rank++) threads.emplace_back(run_rank, rank, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld wrong\n", wrong.load());
  return wrong != 0;
}
