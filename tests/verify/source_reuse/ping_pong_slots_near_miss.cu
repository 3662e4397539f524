// Two staging slots take turns; each has a counter, and a slot is refilled when its own last put was read.
// ranks: 3
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

constexpr int kRanks = 3;
constexpr int kChunks = 6;
constexpr int kPerChunk = 48;
constexpr size_t kChunkBytes = kPerChunk * sizeof(int);

std::atomic<long> wrong{0};

struct Ring {
  ncclDevComm comm;
  ncclWindow_t staging, inbox;

  __device__ int next() const { return (comm.rank + 1) % comm.nRanks; }
  __device__ int* slot(int index) const { return static_cast<int*>(ncclGetLocalPointer(staging, index * kChunkBytes)); }
};

__device__ int element(int rank, int chunk, int i) { return rank * 10000 + chunk * 100 + i; }

__global__ void stream_to_next(Ring ring) {
  ncclGin gin{ring.comm, 0};
  for (int chunk = 0; chunk < kChunks; chunk++) {
    const ncclGinCounter_t slot = chunk % 2;
    gin.waitCounter(ncclCoopCta(), slot, chunk / 2);
    ring.slot(slot)[threadIdx.x] = element(ring.comm.rank, chunk, threadIdx.x);
    gin.put(ncclTeamWorld(ring.comm), ring.next(), ring.inbox, chunk * kChunkBytes, ring.staging, slot * kChunkBytes,
            kChunkBytes, ncclGin_SignalInc{0}, ncclGin_CounterInc{slot}, ncclCoopCta());
  }
  gin.waitCounter(ncclCoopCta(), 0, kChunks / 2);
  gin.waitCounter(ncclCoopCta(), 1, kChunks / 2);
  gin.waitSignal(ncclCoopCta(), 0, kChunks);
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  int *staging, *inbox;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&staging), 2 * kChunkBytes));
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&inbox), kChunks * kChunkBytes));
  Ring ring;
  CHECK(ncclCommWindowRegister(comm, staging, 2 * kChunkBytes, &ring.staging, NCCL_WIN_COLL_SYMMETRIC));
  CHECK(ncclCommWindowRegister(comm, inbox, kChunks * kChunkBytes, &ring.inbox, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  requirements.ginCounterCount = 2;
  CHECK(ncclDevCommCreate(comm, &requirements, &ring.comm));
  stream_to_next<<<1, kPerChunk>>>(ring);
  std::vector<int> got(kChunks * kPerChunk);
  CHECK(cudaMemcpy(got.data(), inbox, kChunks * kChunkBytes, cudaMemcpyDeviceToHost));
  const int left = (rank + kRanks - 1) % kRanks;
  for (int i = 0; i < kChunks * kPerChunk; i++) wrong += got[i] != left * 10000 + i / kPerChunk * 100 + i % kPerChunk;
  meeting.wait();
  CHECK(ncclDevCommDestroy(comm, &ring.comm));
  CHECK(ncclCommWindowDeregister(comm, ring.staging));
  CHECK(ncclCommWindowDeregister(comm, ring.inbox));
  CHECK(ncclMemFree(staging));
  CHECK(ncclMemFree(inbox));
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
