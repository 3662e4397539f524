// Edges are pushed into the halo of the other time level, which the neighbour last read before the previous barrier.
// ranks: 4
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

constexpr int kRanks = 4;
constexpr int kCells = 64;
constexpr int kSteps = 6;

std::atomic<long> wrong{0};

// Two time levels of cells, each with a halo cell on either side.
struct Level {
  int left, cells[kCells], right;
};

template <int kCount>
__global__ void diffuse(ncclDevComm comm, ncclWindow_t window) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  auto* levels = static_cast<Level*>(ncclGetLocalPointer(window, 0));
  auto* west = static_cast<Level*>(ncclGetLsaPointer(window, 0, (comm.rank + comm.nRanks - 1) % comm.nRanks));
  auto* east = static_cast<Level*>(ncclGetLsaPointer(window, 0, (comm.rank + 1) % comm.nRanks));
  const int i = threadIdx.x;
  for (int step = 0; step < kSteps; step++) {
    Level& from = levels[step % 2];
    Level& to = levels[1 - step % 2];
    const int halo = step % 2;
    int left = i == 0 ? levels[halo].left : from.cells[i - 1];
    int right = i == kCount - 1 ? levels[halo].right : from.cells[i + 1];
    int value = (left + 2 * from.cells[i] + right) & 0xffff;
    to.cells[i] = value;
    if (i == 0) west[1 - halo].right = value;
    if (i == kCount - 1) east[1 - halo].left = value;
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  }
}

int first_value(int cell) { return cell * cell % 251; }

long compare(int rank, const Level& level) {
  const int all = kRanks * kCells;
  std::vector<int> now(all), next(all);
  for (int i = 0; i < all; i++) now[i] = first_value(i);
  for (int step = 0; step < kSteps; step++) {
    for (int i = 0; i < all; i++) next[i] = (now[(i + all - 1) % all] + 2 * now[i] + now[(i + 1) % all]) & 0xffff;
    now.swap(next);
  }
  long different = 0;
  for (int i = 0; i < kCells; i++) different += level.cells[i] != now[rank * kCells + i];
  return different;
}

void run_rank(int rank, ncclUniqueId id, Meeting& meeting) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  Level* levels;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&levels), 2 * sizeof(Level)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, levels, 2 * sizeof(Level), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  Level start[2] = {};
  start[0].left = first_value((rank * kCells + kRanks * kCells - 1) % (kRanks * kCells));
  start[0].right = first_value((rank + 1) * kCells % (kRanks * kCells));
  for (int i = 0; i < kCells; i++) start[0].cells[i] = first_value(rank * kCells + i);
  CHECK(cudaMemcpy(levels, start, sizeof start, cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  meeting.wait();
  diffuse<kCells><<<1, kCells>>>(dev_comm, window);
  CHECK(cudaMemcpy(start, levels, sizeof start, cudaMemcpyDeviceToHost));
  wrong += compare(rank, start[kSteps % 2]);
  meeting.wait();
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(levels));
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
