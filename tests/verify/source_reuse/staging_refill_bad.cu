// One staging buffer feeds every chunk, and nothing waits for a put to have read it before the next chunk is packed.
// ranks: 2
// expect-finding: source_reuse
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
constexpr int kChunks = 5;
constexpr int kPerChunk = 64;
constexpr size_t kChunkBytes = kPerChunk * sizeof(float);

std::atomic<long> wrong{0};

template <typename Element>
__global__ void pack_and_send(ncclDevComm comm, ncclSymPtr<Element> staging, ncclSymPtr<Element> inbox,
                              const Element* column) {
  ncclGin gin{comm, 0};
  for (int chunk = 0; chunk < kChunks; chunk++) {
    staging.localPtr()[threadIdx.x] = column[threadIdx.x * kChunks + chunk];                    // FAULT
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, inbox + chunk * kPerChunk, staging, kPerChunk,  // FAULT
            ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());
  }
  gin.waitSignal(ncclCoopCta(), 0, kChunks);
  gin.flush(ncclCoopCta());
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  float *memory, *column;
  const size_t bytes = (1 + kChunks) * kChunkBytes;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), bytes));
  CHECK(cudaMalloc(&column, kChunks * kChunkBytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  std::vector<float> values(kChunks * kPerChunk);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<float>(rank * 1000 + i);
  CHECK(cudaMemcpy(column, values.data(), kChunks * kChunkBytes, cudaMemcpyHostToDevice));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  ncclSymPtr<float> staging(window), inbox(window, kChunkBytes);
  pack_and_send<float><<<1, kPerChunk>>>(dev_comm, staging, inbox, column);
  CHECK(cudaMemcpy(values.data(), memory + kPerChunk, kChunks * kChunkBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kChunks * kPerChunk; i++)
    wrong += values[i] != (1 - rank) * 1000 + i % kPerChunk * kChunks + i / kPerChunk;
  meeting.wait();
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(column));
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
