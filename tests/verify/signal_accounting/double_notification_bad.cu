// The put carries a signal and a separate signal follows: two arrive where one is waited for.
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
constexpr int kCount = 100;
constexpr size_t kBytes = kCount * sizeof(double);

std::atomic<long> wrong{0};

__global__ void exchange(ncclDevComm comm, ncclSymPtr<double> send, ncclSymPtr<double> receive) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  gin.put(world, 1 - comm.rank, receive, send, kCount, ncclGin_SignalInc{0});  // FAULT
  gin.signal(world, 1 - comm.rank, ncclGin_SignalInc{0});                      // FAULT
  gin.waitSignal(ncclCoopThread(), 0, 1);                                      // FAULT
  gin.flush(ncclCoopThread());
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  double* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * kBytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<double> values(2 * kCount, 0.25 * (rank + 1));
  CHECK(cudaMemcpy(memory, values.data(), 2 * kBytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  exchange<<<1, 1>>>(dev_comm, ncclSymPtr<double>(window), ncclSymPtr<double>(window, kBytes));
  CHECK(cudaMemcpy(values.data(), memory, 2 * kBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; i++) wrong += values[kCount + i] != 0.25 * (2 - rank);
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
