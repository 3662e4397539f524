// Reduce-scatter and all-gather share a signal; with one peer its second signal can only be that of the second phase.
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
constexpr int kHalf = 64;
constexpr size_t kHalfBytes = kHalf * sizeof(float);

std::atomic<long> wrong{0};

struct Layout {
  static constexpr size_t input = 0, inbox = 2 * kHalfBytes, result = 3 * kHalfBytes, bytes = 5 * kHalfBytes;
};

__device__ float* floats(ncclWindow_t window, size_t at) {
  return static_cast<float*>(ncclGetLocalPointer(window, at));
}

__global__ void all_reduce(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  const int peer = 1 - comm.rank;
  const size_t mine = comm.rank * kHalfBytes, theirs = peer * kHalfBytes;
  uint64_t signals = gin.comm.nRanks - 1;
  gin.put(world, peer, window, Layout::inbox, window, Layout::input + theirs, kHalfBytes, ncclGin_SignalInc{0},
          ncclGin_None{}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, signals);
  floats(window, Layout::result + mine)[threadIdx.x] =
      floats(window, Layout::input + mine)[threadIdx.x] + floats(window, Layout::inbox)[threadIdx.x];
  signals += gin.comm.nRanks - 1;
  gin.put(world, peer, window, Layout::result + mine, window, Layout::result + mine, kHalfBytes, ncclGin_SignalInc{0},
          ncclGin_None{}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, signals);
  gin.flush(ncclCoopCta());
}

// Nothing may be under way when the windows go.
__global__ void drain(ncclDevComm comm, uint64_t total) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, total); }

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  char* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), Layout::bytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, Layout::bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  std::vector<float> values(2 * kHalf);
  for (int i = 0; i < 2 * kHalf; i++) values[i] = static_cast<float>((rank + 1) * i);
  CHECK(cudaMemset(memory, 0, Layout::bytes));
  CHECK(cudaMemcpy(memory + Layout::input, values.data(), 2 * kHalfBytes, cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  all_reduce<<<1, kHalf>>>(dev_comm, window);
  CHECK(cudaMemcpy(values.data(), memory + Layout::result, 2 * kHalfBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 2 * kHalf; i++) wrong += values[i] != 3.0f * i;
  drain<<<1, 1>>>(dev_comm, 2);
  CHECK(cudaDeviceSynchronize());
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
