// One barrier a round separates writing from reading, but nothing keeps the next round's write behind the peer's read.
// ranks: 2
// expect-finding: window_race
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kRanks = 2;
constexpr int kCells = 96;
constexpr int kRounds = 5;

std::atomic<long> wrong{0};

__device__ int cell_of(int rank, int round, int i) { return rank * 10000 + round * 1000 + i; }

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  int sum = 0;
  for (int round = 0; round < kRounds; round++) {
    size_t at = 0;
    auto* own = static_cast<int*>(ncclGetLocalPointer(window, at));
    auto* other = static_cast<const int*>(ncclGetLsaPointer(window, at, 1 - comm.rank));
    own[threadIdx.x] = cell_of(comm.rank, round, threadIdx.x);  // FAULT
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
    sum += other[kCells - 1 - threadIdx.x];  // FAULT
  }
  sums[threadIdx.x] = sum;
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

void run_rank(int rank, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  void* memory;
  CHECK(ncclMemAlloc(&memory, 2 * kCells * sizeof(int)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * kCells * sizeof(int), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  int* sums;
  CHECK(cudaMalloc(&sums, kCells * sizeof(int)));
  exchange<<<1, kCells>>>(dev_comm, window, sums);
  std::vector<int> got(kCells);
  CHECK(cudaMemcpy(got.data(), sums, kCells * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCells; i++) wrong += got[i] != kRounds * ((1 - rank) * 10000 + 2000 + kCells - 1 - i);
  CHECK(cudaFree(sums));
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; rank++) threads.emplace_back(run_rank, rank, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld wrong\n", wrong.load());
  return wrong != 0;
}
