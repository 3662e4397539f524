// Every rank stores into all slots, its own too, so the sum reads only what was written before the barrier.
// ranks: 4
// expect: no findings
#include <nccl.h>
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kSlot = 64;

__global__ void gather_and_add(ncclDevComm comm, ncclSymPtr<int> slots, int* sums) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  for (int step = 0; step < comm.nRanks; step++) {
    int peer = (comm.rank + step) % comm.nRanks;
    slots.lsaPtr(peer)[comm.rank * kSlot + threadIdx.x] = comm.rank + 1;
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  int sum = 0;
  for (int source = 0; source < comm.nRanks; source++) sum += slots.localPtr()[source * kSlot + threadIdx.x];
  sums[threadIdx.x] = sum;
}

class RankOfThread {
 public:
  RankOfThread(int rank, int ranks, ncclUniqueId id) : ranks_(ranks) {
    cudaSetDevice(rank);
    ncclCommInitRank(&comm_, ranks, id, rank);
    size_t bytes = ranks * kSlot * sizeof(int);
    ncclMemAlloc(reinterpret_cast<void**>(&slots_), bytes);
    ncclCommWindowRegister(comm_, slots_, bytes, &window_, NCCL_WIN_COLL_SYMMETRIC);
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevCommCreate(comm_, &requirements, &dev_comm_);
    cudaMalloc(&sums_, kSlot * sizeof(int));
  }
  ~RankOfThread() {
    cudaFree(sums_);
    ncclDevCommDestroy(comm_, &dev_comm_);
    ncclCommWindowDeregister(comm_, window_);
    ncclMemFree(slots_);
    ncclCommDestroy(comm_);
  }
  int run() {
    gather_and_add<<<1, kSlot>>>(dev_comm_, ncclSymPtr<int>(window_), sums_);
    std::vector<int> host(kSlot);
    cudaMemcpy(host.data(), sums_, kSlot * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int sum : host) wrong += sum != ranks_ * (ranks_ + 1) / 2;
    return wrong;
  }

 private:
  int ranks_;
  ncclComm_t comm_;
  int *slots_, *sums_;
  ncclWindow_t window_;
  ncclDevComm dev_comm_;
};

int main() {
  int ranks;
  cudaGetDeviceCount(&ranks);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; rank++)
    threads.emplace_back([&wrong, rank, ranks, id] { wrong += RankOfThread(rank, ranks, id).run(); });
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
