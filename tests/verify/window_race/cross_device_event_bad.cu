// Two host threads meet after their launches, but the reading stream never waits for the event of the writing device.
// ranks: 2
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

constexpr int kRanks = 2;
constexpr int kCount = 256;

std::atomic<long> wrong{0};
cudaEvent_t written[kRanks];

__global__ void write_squares(int* own, int rank) { own[threadIdx.x] = rank + threadIdx.x * threadIdx.x; }  // FAULT

__global__ void read_peer(ncclWindow_t window, int peer, int* out) {
  out[threadIdx.x] = static_cast<const int*>(ncclGetLsaPointer(window, 0, peer))[threadIdx.x];  // FAULT
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  int *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kCount * sizeof(int)));
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, kCount * sizeof(int), &window, NCCL_WIN_COLL_SYMMETRIC));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&written[rank], cudaEventDisableTiming));
  write_squares<<<1, kCount, 0, stream>>>(memory, rank);
  CHECK(cudaEventRecord(written[rank], stream));
  meeting.wait();
  read_peer<<<1, kCount, 0, stream>>>(window, 1 - rank, out);
  std::vector<int> got(kCount);
  CHECK(cudaMemcpyAsync(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; i++) wrong += got[i] != 1 - rank + i * i;
  meeting.wait();
  CHECK(cudaEventDestroy(written[rank]));
  CHECK(cudaStreamDestroy(stream));
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
