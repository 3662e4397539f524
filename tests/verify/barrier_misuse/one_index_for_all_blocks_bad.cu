// All blocks open a session on barrier 0 at the same time; a barrier belongs to one block of each rank.
// ranks: 3
// expect-finding: barrier_misuse
#include <nccl.h>
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kBlocks = 4;
constexpr int kElements = 240;

__device__ void meet(const ncclDevComm& comm) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};  // FAULT
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);                               // FAULT
}

// Each rank adds up, over all ranks, the elements i with i % ranks == rank.
template <typename T>
__global__ void reduce_scatter(ncclDevComm comm, ncclSymPtr<T> in, T* out) {
  meet(comm);  // FAULT
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kElements / comm.nRanks; i += gridDim.x * blockDim.x) {
    T sum = 0;
    for (int peer = 0; peer < comm.lsaSize; peer++) sum += in.lsaPtr(peer)[i * comm.nRanks + comm.rank];
    out[i] = sum;
  }
  meet(comm);  // FAULT
}

std::atomic<int> wrong{0};

void run_rank(int rank, int count, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  int *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kElements * sizeof(int)));
  CHECK(cudaMalloc(&out, kElements / count * sizeof(int)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, kElements * sizeof(int), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = kBlocks;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  std::vector<int> values(kElements), got(kElements / count);
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < kElements; i++) values[i] = turn * 1000 + rank + i;
    CHECK(cudaMemcpy(memory, values.data(), kElements * sizeof(int), cudaMemcpyHostToDevice));
    reduce_scatter<int><<<kBlocks, 32>>>(dev_comm, ncclSymPtr<int>(window), out);
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++)
      wrong += got[i] != count * (turn * 1000 + static_cast<int>(i) * count + rank) + count * (count - 1) / 2;
  }
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(out));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  const int count = 3;
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; rank++) threads.emplace_back(run_rank, rank, count, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
