// The wait for the signal was made relaxed to be cheap, and nothing orders the loads of the payload behind it.
// ranks: 2
// expect-finding: missing_fence
#include <nccl_device.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
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
constexpr int kCount = 72;
constexpr size_t kBytes = kCount * sizeof(int);

std::atomic<long> wrong{0};

__global__ void exchange(ncclDevComm comm, ncclSymPtr<int> send, ncclSymPtr<int> receive, int* out) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0) {
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, receive, send, kCount, ncclGin_SignalInc{0});  // FAULT
    gin.waitSignal(ncclCoopThread(), 0, 1, 64, cuda::memory_order_relaxed);                    // FAULT
    gin.flush(ncclCoopThread(), cuda::memory_order_relaxed);
  }
  __syncthreads();
  out[threadIdx.x] = receive.localPtr()[threadIdx.x];  // FAULT
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  int *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * kBytes));
  CHECK(cudaMalloc(&out, kBytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<int> values(2 * kCount, 30 + rank);
  CHECK(cudaMemcpy(memory, values.data(), 2 * kBytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  exchange<<<1, kCount>>>(dev_comm, ncclSymPtr<int>(window), ncclSymPtr<int>(window, kBytes), out);
  CHECK(cudaMemcpy(values.data(), out, kBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; i++) wrong += values[i] != 31 - rank;
  meeting.wait();
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(out));
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
