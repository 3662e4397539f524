// All ranks add to the same bins of every histogram with plain loads and stores: updates of two ranks can meet.
// ranks: 4
// expect-finding: window_race
#include <nccl_device.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

// The host threads of all ranks meet here.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    long round = round_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      round_++;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  const int count_;
  int arrived_ = 0;
  long round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_here_;
};

constexpr int kRanks = 4;
constexpr int kBins = 64;

std::atomic<long> wrong{0};

class Histogram {
 public:
  __device__ Histogram(ncclWindow_t window, int peer) : bins_(static_cast<int*>(ncclGetLsaPointer(window, 0, peer))) {}
  __device__ void add(int bin, int amount) { bins_[bin] += amount; }  // FAULT

 private:
  int* bins_;
};

__global__ void count_everywhere(ncclDevComm comm, ncclWindow_t window, int* doubled) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  int bin = threadIdx.x;
  for (int peer = 0; peer < comm.nRanks; peer++) Histogram(window, peer).add(bin, (comm.rank + 1) * bin);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  doubled[bin] = 2 * static_cast<int*>(ncclGetLocalPointer(window, 0))[bin];
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  void* memory;
  CHECK(ncclMemAlloc(&memory, kBins * sizeof(int)));
  CHECK(cudaMemset(memory, 0, kBins * sizeof(int)));
  int* doubled;
  CHECK(cudaMalloc(&doubled, kBins * sizeof(int)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, kBins * sizeof(int), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  count_everywhere<<<1, kBins>>>(dev_comm, window, doubled);
  std::vector<int> got(kBins);
  CHECK(cudaMemcpy(got.data(), doubled, kBins * sizeof(int), cudaMemcpyDeviceToHost));
  for (int bin = 0; bin < kBins; bin++) wrong += got[bin] != kRanks * (kRanks + 1) * bin;
  meeting.wait();
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(doubled));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  Meeting meeting(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; rank++) threads.emplace_back(run_rank, rank, id, std::ref(meeting));
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld wrong\n", wrong.load());
  return wrong != 0;
}
