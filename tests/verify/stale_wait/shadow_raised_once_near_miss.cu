// The shadow is raised once for every signal to come, by one thread, and remembers all layers of all launches.
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
constexpr int kWidth = 96;
constexpr int kLayers = 4;
constexpr size_t kBytes = kWidth * sizeof(float);

std::atomic<long> wrong{0};

// Activations of layer l stand at l * kBytes, what the peer sends for it at (kLayers + l) * kBytes.
__global__ void forward(ncclDevComm comm, ncclWindow_t window, float* out) {
  ncclGin gin{comm, 0};
  auto* own = static_cast<float*>(ncclGetLocalPointer(window, 0));
  float carried = comm.rank + threadIdx.x;
  for (int layer = 0; layer < kLayers; layer++) {
    own[layer * kWidth + threadIdx.x] = carried;
    if (threadIdx.x == 0) gin.increaseSignalShadow(0, 1);
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, (kLayers + layer) * kBytes, window, layer * kBytes, kBytes,
            ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());
    gin.waitSignalMeetShadow(ncclCoopCta(), 0);
    carried += own[(kLayers + layer) * kWidth + threadIdx.x];
  }
  out[threadIdx.x] = carried;
  gin.waitSignal(ncclCoopCta(), 0, kLayers);
  gin.flush(ncclCoopCta());
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  float *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * kLayers * kBytes));
  CHECK(cudaMemset(memory, 0, 2 * kLayers * kBytes));
  CHECK(cudaMalloc(&out, kBytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kLayers * kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  forward<<<1, kWidth>>>(dev_comm, window, out);
  std::vector<float> got(kWidth);
  CHECK(cudaMemcpy(got.data(), out, kBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWidth; i++) wrong += got[i] != (2 * i + 1) * (1 << (kLayers - 1));
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
