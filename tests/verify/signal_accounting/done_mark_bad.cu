// Chunks raise the signal by SignalInc and the closing mark by SignalAdd, which may not be mixed on one signal.
// ranks: 2
// expect-finding: signal_accounting
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

constexpr int kRanks = 2;
constexpr int kChunks = 3;
constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

std::atomic<long> wrong{0};

template <typename Remote>
__device__ void send(const ncclGin& gin, ncclWindow_t window, int chunk, Remote remote) {
  gin.put(ncclTeamWorld(gin.comm), 1 - gin.comm.rank, window, (kChunks + chunk) * kBytes,  // FAULT
          window, chunk * kBytes, kBytes, remote);
}

__global__ void transfer(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  for (int chunk = 0; chunk + 1 < kChunks; chunk++) send(gin, window, chunk, ncclGin_SignalInc{0});  // FAULT
  send(gin, window, kChunks - 1, ncclGin_SignalAdd{0, 1});                                           // FAULT
  gin.waitSignal(ncclCoopThread(), 0, kChunks);
  gin.flush(ncclCoopThread());
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  int* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * kChunks * kBytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kChunks * kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<int> values(2 * kChunks * kCount);
  for (int i = 0; i < kChunks * kCount; i++) values[i] = rank + 2 * i;
  CHECK(cudaMemcpy(memory, values.data(), 2 * kChunks * kBytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 2;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  transfer<<<1, 1>>>(dev_comm, window);
  CHECK(cudaMemcpy(values.data(), memory, 2 * kChunks * kBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kChunks * kCount; i++) wrong += values[kChunks * kCount + i] != 1 - rank + 2 * i;
  meeting.wait();
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
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
