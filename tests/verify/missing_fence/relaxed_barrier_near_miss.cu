// The barrier between storing to the peers and reading releases and acquires.
// ranks: 4
// expect: no findings
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kRanks = 4;
constexpr int kCount = 32;

std::atomic<long> wrong{0};

template <cuda::memory_order kOrder>
__global__ void transpose(ncclDevComm comm, ncclSymPtr<int> inbox, int* out) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  for (int i = threadIdx.x; i < comm.nRanks * kCount; i += blockDim.x)
    inbox.lsaPtr(i / kCount)[comm.rank * kCount + i % kCount] = comm.rank * 1000 + i;
  barrier.sync(ncclCoopCta(), kOrder);
  for (int i = threadIdx.x; i < comm.nRanks * kCount; i += blockDim.x) out[i] = inbox.localPtr()[i];
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

void run_rank(int rank, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  const size_t bytes = kRanks * kCount * sizeof(int);
  int *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), bytes));
  CHECK(cudaMalloc(&out, bytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  transpose<cuda::memory_order_acq_rel><<<1, 64>>>(dev_comm, ncclSymPtr<int>(window), out);
  std::vector<int> got(kRanks * kCount);
  CHECK(cudaMemcpy(got.data(), out, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kRanks * kCount; i++) wrong += got[i] != i / kCount * 1000 + rank * kCount + i % kCount;
  CHECK(cudaFree(out));
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
