// Values are their own flags, but of a slot only the last word is polled; the others are read with plain loads that
// nothing orders behind it.
// ranks: 2
// expect-finding: missing_fence
#include <nccl_device.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

// The host threads of both ranks meet here.
class Meeting {
 public:
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    long round = round_;
    if (++arrived_ == 2) {
      arrived_ = 0;
      round_++;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  int arrived_ = 0;
  long round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_here_;
};

constexpr int kCount = 64, kRounds = 5;
constexpr uint32_t kNothing = 0xffffffff;

std::atomic<long> wrong{0};

using Slot = uint32_t[kCount];

__global__ void add_up(ncclDevComm comm, ncclWindow_t window, uint32_t* sums) {
  auto* own = static_cast<Slot*>(ncclGetLocalPointer(window, 0));
  auto* theirs = static_cast<Slot*>(ncclGetLsaPointer(window, 0, 1 - comm.rank));
  const int i = threadIdx.x;
  uint32_t sum = 0;
  for (int round = 0; round < kRounds; round++) {
    __threadfence_system();
    *static_cast<volatile uint32_t*>(&theirs[round % 2][i]) = 100 * comm.rank + round + i;  // FAULT
    while (*static_cast<volatile uint32_t*>(&own[round % 2][kCount - 1]) == kNothing) {
    }
    __syncthreads();
    sum += own[round % 2][i];  // FAULT
    __syncthreads();
    *static_cast<volatile uint32_t*>(&own[round % 2][i]) = kNothing;  // FAULT
  }
  sums[i] = sum;
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, 2, id, rank));
  void* slots;
  CHECK(ncclMemAlloc(&slots, 2 * sizeof(Slot)));
  CHECK(cudaMemset(slots, 0xff, 2 * sizeof(Slot)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, slots, 2 * sizeof(Slot), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  uint32_t* sums;
  CHECK(cudaMalloc(&sums, kCount * sizeof(uint32_t)));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  add_up<<<1, kCount>>>(dev_comm, window, sums);
  std::vector<uint32_t> host(kCount);
  CHECK(cudaMemcpy(host.data(), sums, kCount * sizeof(uint32_t), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; i++)
    wrong += host[i] != static_cast<uint32_t>(kRounds * (100 * (1 - rank) + i) + kRounds * (kRounds - 1) / 2);
  meeting.wait();
  CHECK(cudaFree(sums));
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(slots));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  Meeting meeting;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; rank++) threads.emplace_back(run_rank, rank, id, std::ref(meeting));
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld wrong\n", wrong.load());
  return wrong != 0;
}
