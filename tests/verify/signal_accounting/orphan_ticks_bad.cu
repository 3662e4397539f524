// The sender still ticks a progress signal that the receiver stopped looking at.
// ranks: 2
// expect-finding: signal_accounting
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kRanks = 2;
constexpr int kParts = 4;
constexpr int kCount = 64;
constexpr size_t kBytes = kParts * kCount * sizeof(int);
enum Signal : ncclGinSignal_t { kAll = 0, kTick = 1 };

std::atomic<long> wrong{0};

__device__ void send(const ncclGin& gin, ncclWindow_t window) {
  ncclTeam world = ncclTeamWorld(gin.comm);
  const size_t part = kBytes / kParts;
  for (int i = 0; i < kParts; i++)
    gin.put(world, 1, window, i * part, window, i * part, part, ncclGin_SignalInc{kTick});  // FAULT
  gin.signal(world, 1, ncclGin_SignalInc{kAll});
  gin.flush(ncclCoopThread());
}

__device__ void receive(const ncclGin& gin, int* ticks_seen) {
  gin.waitSignal(ncclCoopThread(), kAll, 1);
  *ticks_seen = kParts;
}

__global__ void transfer(ncclDevComm comm, ncclWindow_t window, int* ticks_seen) {
  ncclGin gin{comm, 0};
  if (comm.rank == 0)
    send(gin, window);
  else
    receive(gin, ticks_seen);
}

void run_rank(int rank, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  int *memory, *ticks_seen;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kBytes));
  CHECK(cudaMalloc(&ticks_seen, sizeof(int)));
  CHECK(cudaMemset(ticks_seen, 0, sizeof(int)));
  std::vector<int> values(kParts * kCount, 11);
  if (rank == 0) CHECK(cudaMemcpy(memory, values.data(), kBytes, cudaMemcpyHostToDevice));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, kBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 2;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  transfer<<<1, 1>>>(dev_comm, window, ticks_seen);
  CHECK(cudaDeviceSynchronize());
  int ticks = 0;
  CHECK(cudaMemcpy(values.data(), memory, kBytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&ticks, ticks_seen, sizeof ticks, cudaMemcpyDeviceToHost));
  for (int value : values) wrong += value != 11;
  wrong += ticks != (rank == 0 ? 0 : kParts);
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(ticks_seen));
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
