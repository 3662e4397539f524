// Loads and stores of peers' memory through NCCL's windows: the hop of a flag, a barrier, the latency of a load, and
// bandwidth by the number of blocks. A rank's peer is the next one of those it can reach this way.
#include <nccl_device.h>

#include <cuda/atomic>

#include "measure.h"

using namespace calibrate;

constexpr int kBarriers = 64;

inline ncclDevCommRequirements requirements() {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)
  ncclDevCommRequirements needs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
  ncclDevCommRequirements needs = {};
#endif
  needs.lsaBarrierCount = kBarriers;
  return needs;
}

// One window on every rank, and the communicator that kernels use it with.
struct Window {
  ncclComm_t comm;
  void* memory = nullptr;
  ncclWindow_t window = nullptr;
  ncclDevComm device = {};

  Window(ncclComm_t communicator, size_t bytes) : comm(communicator) {
    check(ncclMemAlloc(&memory, bytes));
    check(cudaMemset(memory, 0, bytes));
    check(ncclCommWindowRegister(comm, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
    ncclDevCommRequirements needs = requirements();
    check(ncclDevCommCreate(comm, &needs, &device));
  }
  ~Window() {
    check(ncclDevCommDestroy(comm, &device));
    check(ncclCommWindowDeregister(comm, window));
    check(ncclMemFree(memory));
  }
  Window(const Window&) = delete;

  int team_size() const { return ncclTeamLsa(device).nRanks; }
  int team_rank() const { return ncclTeamLsa(device).rank; }
  int next() const { return (team_rank() + 1) % team_size(); }
};

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__device__ Flag flag_of(ncclWindow_t window, int peer) {
  return Flag(*static_cast<unsigned*>(ncclGetLsaPointer(window, 0, peer)));
}

// Two ranks hand a number back and forth, each storing into the other's memory and spinning on its own.
__global__ void pass_flag(ncclWindow_t window, int self, int partner, unsigned before, int rounds) {
  Flag mine = flag_of(window, self), theirs = flag_of(window, partner);
  bool leads = self < partner;
  for (unsigned i = before + 1; i <= before + rounds; i++) {
    if (leads) theirs.store(i, cuda::memory_order_release);
    while (mine.load(cuda::memory_order_acquire) < i) {
    }
    if (!leads) theirs.store(i, cuda::memory_order_release);
  }
}

// In pairs of neighbours; with `who` Alone only the first pair.
void measure_flag_hop(const Ranks& ranks, const Window& window, Who who) {
  constexpr int kRounds = 500;
  static unsigned before = 0;
  int self = window.team_rank(), partner = self ^ 1;
  bool plays = partner < window.team_size() && (who == Who::All || ranks.rank < 2);
  std::vector<double> samples = samples_of(ranks, Who::All, 11, [&] {
    double us = 0;
    if (plays)
      us = queued_us(ranks, 1,
                     [&](int) { pass_flag<<<1, 1, 0, ranks.stream>>>(window.window, self, partner, before, kRounds); });
    before += kRounds;
    return us / (2 * kRounds);
  });
  print(ranks, {"flag_hop", who}, slowest(samples));
}

__global__ void meet(ncclDevComm comm, int rounds) {
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  for (int i = 0; i < rounds; i++) barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

void measure_barrier(const Ranks& ranks, const Window& window, int blocks) {
  constexpr int kRounds = 200;
  measure_together(ranks, {"lsa_barrier", Who::All, double(blocks)}, 11, [&] {
    return queued_us(ranks, 1, [&](int) { meet<<<blocks, 256, 0, ranks.stream>>>(window.device, kRounds); }) / kRounds;
  });
}

// Follows a chain of offsets through a peer's memory.
__global__ void chase(ncclWindow_t window, int peer, size_t offset, int steps, unsigned* out) {
  const auto* chain = static_cast<const volatile unsigned*>(ncclGetLsaPointer(window, offset, peer));
  unsigned at = 0;
  for (int i = 0; i < steps; i++) at = chain[at];
  *out = at;
}

__global__ void make_chain(unsigned* chain, unsigned length, unsigned stride) {
  for (unsigned i = threadIdx.x; i < length; i += blockDim.x) chain[i] = (i + stride) % length;
}

void measure_load_latency(const Ranks& ranks, const Window& window, Who who) {
  constexpr unsigned kLength = 1 << 20, kStride = 4099;  // Words; a stride of more than a line.
  constexpr int kSteps = 2000;
  constexpr size_t kOffset = 4096;
  make_chain<<<1, 1024, 0, ranks.stream>>>(reinterpret_cast<unsigned*>(static_cast<char*>(window.memory) + kOffset),
                                           kLength, kStride);
  check(cudaStreamSynchronize(ranks.stream));
  DeviceBytes out(sizeof(unsigned));
  measure_each(ranks, {"lsa_load_latency", who}, 11, [&] {
    auto* end = reinterpret_cast<unsigned*>(out.data);
    return queued_us(
               ranks, 1,
               [&](int) { chase<<<1, 1, 0, ranks.stream>>>(window.window, window.next(), kOffset, kSteps, end); }) /
           kSteps;
  });
}

__device__ void move(uint4* to, const uint4* from, size_t count) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) to[i] = from[i];
}

__global__ void store_to_peer(ncclWindow_t window, int peer, size_t half, size_t bytes) {
  auto* to = static_cast<uint4*>(ncclGetLsaPointer(window, half, peer));
  move(to, static_cast<const uint4*>(ncclGetLocalPointer(window, 0)), bytes / sizeof(uint4));
}

__global__ void load_from_peer(ncclWindow_t window, int peer, size_t half, size_t bytes) {
  auto* to = static_cast<uint4*>(ncclGetLocalPointer(window, half));
  move(to, static_cast<const uint4*>(ncclGetLsaPointer(window, 0, peer)), bytes / sizeof(uint4));
}

// Few blocks get fewer bytes, so that one sample takes about as long with one block as with many.
void measure_bandwidth(const Ranks& ranks, const Window& window, Who who, int blocks, size_t half) {
  size_t bytes = std::min(half, size_t(blocks) * (2 << 20));
  auto sample = [&](auto kernel) {
    return [&, kernel] {
      return queued_us(
          ranks, 5, [&](int) { kernel<<<blocks, 512, 0, ranks.stream>>>(window.window, window.next(), half, bytes); });
    };
  };
  measure_together(ranks, {"lsa_store", who, double(blocks), double(bytes)}, 11, sample(store_to_peer));
  measure_together(ranks, {"lsa_load", who, double(blocks), double(bytes)}, 11, sample(load_from_peer));
}

std::vector<int> block_counts(int most) {
  std::vector<int> counts;
  for (int blocks = 1; blocks < most; blocks *= 2) counts.push_back(blocks);
  counts.push_back(most);
  counts.push_back(2 * most);
  return counts;
}

int main(int argc, char** argv) {
  constexpr size_t kHalf = size_t{128} << 20;
  Ranks ranks(&argc, &argv);
  Communicator communicator(ranks);
  Window window(communicator.comm, 2 * kHalf);
  if (ranks.is_first()) std::printf("machine lsa_ranks %d\n", window.team_size());
  if (window.team_size() < 2) return 0;
  for (Who who : {Who::All, Who::Alone}) {
    measure_flag_hop(ranks, window, who);
    measure_load_latency(ranks, window, who);
    for (int blocks : block_counts(ranks.sm_count)) measure_bandwidth(ranks, window, who, blocks, kHalf);
  }
  for (int blocks : {1, 8}) measure_barrier(ranks, window, blocks);
  check(cudaGetLastError());
}
