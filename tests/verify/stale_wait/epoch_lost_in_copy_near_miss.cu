// The exchanger that counts rounds is passed by reference; its count follows the signal for as long as both live.
// ranks: 2
// expect: no findings
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
constexpr int kCount = 80;
constexpr size_t kBytes = kCount * sizeof(int);

std::atomic<long> wrong{0};

__global__ void swap_kernel(ncclDevComm comm, ncclWindow_t window, uint64_t epoch) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopThread(), 0, epoch);
  gin.flush(ncclCoopThread());
}

// Nothing may be under way when the windows go.
__global__ void drain(ncclDevComm comm, uint64_t total) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, total); }

struct Exchanger {
  ncclDevComm device;
  ncclWindow_t window;
  cudaStream_t stream;
  uint64_t epoch = 0;

  void launch() { swap_kernel<<<1, 1, 0, stream>>>(device, window, ++epoch); }
};

long run_round(Exchanger& exchanger, int* memory, int rank, int round) {
  std::vector<int> values(kCount, 10 * round + rank + 1);
  CHECK(cudaMemcpyAsync(memory, values.data(), kBytes, cudaMemcpyHostToDevice, exchanger.stream));
  exchanger.launch();
  CHECK(cudaMemcpyAsync(values.data(), memory + kCount, kBytes, cudaMemcpyDeviceToHost, exchanger.stream));
  CHECK(cudaStreamSynchronize(exchanger.stream));
  long different = 0;
  for (int value : values) different += value != 10 * round + 2 - rank;
  return different;
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  int* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * kBytes));
  CHECK(cudaMemset(memory, 0, 2 * kBytes));
  Exchanger exchanger{};
  CHECK(cudaStreamCreate(&exchanger.stream));
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kBytes, &exchanger.window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  CHECK(ncclDevCommCreate(comm, &requirements, &exchanger.device));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  for (int round = 0; round < 4; round++) {
    wrong += run_round(exchanger, memory, rank, round);
    meeting.wait();
  }
  drain<<<1, 1, 0, exchanger.stream>>>(exchanger.device, 4);
  CHECK(cudaStreamSynchronize(exchanger.stream));
  CHECK(ncclDevCommDestroy(comm, &exchanger.device));
  CHECK(ncclCommWindowDeregister(comm, exchanger.window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaStreamDestroy(exchanger.stream));
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
