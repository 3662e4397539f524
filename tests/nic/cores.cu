// What the cores that ranks may run on do to their times: cores WAY [ITERATIONS]. Every rank launches the same kernels,
// exchanges 16 MiB with its neighbours and waits, from a common start. WAY says how bytes move, and so which threads
// NCCL has: none (they do not), plain (send and receive), windows (the same, from registered windows), gin (puts).
//
// Printed beside the host's time: how long the kernels took by the GPU's own clock, how often the waiting thread was
// switched away from its core, and how many threads of a rank were busy. Kernels that are as fast as ever under a host
// time that grew point to the cores.
#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "world.h"

namespace {

constexpr int kKernels = 4;
constexpr size_t kExchangedBytes = size_t{16} << 20;

struct Trace {
  unsigned long long begin_ns, end_ns;
};

__device__ float churn(float a, int rounds) {
  float c = 0.5f, d = 0.25f;
  for (int i = 0; i < rounds; ++i) {
    a = fmaf(a, 1.0001f, c);
    c = fmaf(c, 1.0001f, d);
    d = fmaf(d, 1.0001f, a);
  }
  return a + c + d;
}

__global__ void work(float* out, Trace* trace) {
  const unsigned long long begin = global_ns();
  const float value = churn(threadIdx.x, 50'000);
  if (value == 0.12345f) *out = value;
  if (threadIdx.x != 0) return;
  atomicMin(&trace->begin_ns, begin);
  atomicMax(&trace->end_ns, global_ns());
}

__global__ void put_and_wait(ncclDevComm comm, ncclWindow_t window, uint64_t arrived) {
  ncclGin gin(comm, 0);
  const ncclTeam world = ncclTeamWorld(comm);
  gin.put(world, (world.rank + 1) % world.nRanks, window, kExchangedBytes, window, 0, kExchangedBytes,
          ncclGin_StrongSignalInc{0});
  gin.waitSignal(ncclCoopThread(), 0, arrived);
  gin.flush(ncclCoopThread());
}

// Processor time of each thread, by its number, in ticks of the kernel.
std::map<std::string, long> thread_ticks() {
  std::map<std::string, long> ticks;
  DIR* folder = opendir("/proc/self/task");
  while (const dirent* entry = folder ? readdir(folder) : nullptr) {
    std::ifstream file(std::string("/proc/self/task/") + entry->d_name + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const size_t close = text.rfind(')');  // Of the thread's name, which may have anything in it.
    if (close == text.npos) continue;
    long user = 0, system = 0;
    std::sscanf(text.c_str() + close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system);
    ticks[entry->d_name] = user + system;
  }
  if (folder) closedir(folder);
  return ticks;
}

long switched_away() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

int processor_count() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
}

class Region {
 public:
  Region(World& world, std::string way) : world_(world), way_(std::move(way)) {
    CHECK_CUDA(cudaMallocHost(&trace_, sizeof(Trace)));
    CHECK_CUDA(cudaMalloc(&device_trace_, sizeof(Trace)));
    way_ == "gin" ? world_.open_window() : open_memory();
  }

  // From an instant that all ranks have agreed on.
  void run() {
    clear_trace();
    const long before = switched_away();
    const auto start = start_together();
    for (int i = 0; i < kKernels; ++i) work<<<132 * 8, 256, 0, world_.stream>>>(nullptr, device_trace_);
    exchange();
    CHECK_CUDA(cudaStreamSynchronize(world_.stream));
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    switches_ += switched_away() - before;
    CHECK_CUDA(cudaMemcpy(trace_, device_trace_, sizeof(Trace), cudaMemcpyDeviceToHost));
    taken_us_.push_back(world_.slowest(taken.count()));
    kernels_us_.push_back(world_.slowest(static_cast<double>(trace_->end_ns - trace_->begin_ns) / 1000));
  }

  void forget() {
    taken_us_.clear();
    kernels_us_.clear();
    switches_ = 0;
  }

  void report(int busy_threads) {
    const double switches = world_.slowest(static_cast<double>(switches_));
    if (world_.rank != 0) return;
    std::sort(taken_us_.begin(), taken_us_.end());
    std::sort(kernels_us_.begin(), kernels_us_.end());
    const size_t middle = taken_us_.size() / 2;
    std::printf("%-8s %2d processors: median %6.0f us (%.0f to %.0f), kernels %6.0f us (to %.0f), ", way_.c_str(),
                processor_count(), taken_us_[middle], taken_us_.front(), taken_us_.back(), kernels_us_[middle],
                kernels_us_.back());
    std::printf("switched away %.0f times, %d busy threads a rank\n", switches, busy_threads);
  }

 private:
  void open_memory() {
    if (way_ == "plain") {
      CHECK_CUDA(cudaMalloc(&world_.memory, kWindowBytes));
      return;
    }
    CHECK_NCCL(ncclMemAlloc(reinterpret_cast<void**>(&world_.memory), kWindowBytes));
    if (way_ == "windows")
      CHECK_NCCL(
          ncclCommWindowRegister(world_.comm, world_.memory, kWindowBytes, &world_.window, NCCL_WIN_COLL_SYMMETRIC));
  }

  void clear_trace() {
    *trace_ = {};
    trace_->begin_ns = ~0ull;
    CHECK_CUDA(cudaMemcpy(device_trace_, trace_, sizeof(Trace), cudaMemcpyHostToDevice));
  }

  std::chrono::steady_clock::time_point start_together() const {
    using Clock = std::chrono::steady_clock;
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t start = (Clock::now() + std::chrono::microseconds(50)).time_since_epoch().count();
    MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    const Clock::time_point when{Clock::duration(start)};
    while (Clock::now() < when) {
    }
    return when;
  }

  void exchange() {
    if (way_ == "none") return;
    if (way_ == "gin") {
      put_and_wait<<<1, 1, 0, world_.stream>>>(world_.device, world_.window, ++arrived_);
      return;
    }
    const int next = (world_.rank + 1) % world_.count, last = (world_.rank + world_.count - 1) % world_.count;
    CHECK_NCCL(ncclGroupStart());
    CHECK_NCCL(ncclSend(world_.memory, kExchangedBytes, ncclChar, next, world_.comm, world_.stream));
    CHECK_NCCL(ncclRecv(world_.memory + kExchangedBytes, kExchangedBytes, ncclChar, last, world_.comm, world_.stream));
    CHECK_NCCL(ncclGroupEnd());
  }

  World& world_;
  std::string way_;
  Trace* trace_ = nullptr;
  Trace* device_trace_ = nullptr;
  uint64_t arrived_ = 0;
  std::vector<double> taken_us_, kernels_us_;  // Of the slowest rank.
  long switches_ = 0;
};

// That had a core for a quarter of the time or more.
int count_busy(const std::map<std::string, long>& before, double seconds) {
  int count = 0;
  const auto least = static_cast<long>(seconds * static_cast<double>(sysconf(_SC_CLK_TCK)) / 4);
  for (const auto& [thread, ticks] : thread_ticks()) {
    const auto found = before.find(thread);
    if (ticks - (found == before.end() ? 0 : found->second) > least) ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "plain";
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 20;
  World world(&argc, &argv);
  Region region(world, way);
  for (int i = 0; i < 3; ++i) region.run();
  region.forget();
  const std::map<std::string, long> before = thread_ticks();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < iterations; ++i) region.run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  region.report(count_busy(before, seconds.count()));
  return 0;
}
