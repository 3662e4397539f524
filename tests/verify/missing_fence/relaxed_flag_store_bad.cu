// The flag is stored relaxed after the data, so the peer may see the flag first.
// ranks: 2
// expect-finding: missing_fence
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kRanks = 2;
constexpr int kCount = 128;
constexpr size_t kFlag = kCount * sizeof(int);

std::atomic<long> wrong{0};

using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void push(ncclDevComm comm, ncclWindow_t window, int* out) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  const int peer = 1 - comm.rank;
  auto* theirs = static_cast<int*>(ncclGetLsaPointer(window, 0, peer));
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) theirs[i] = comm.rank * 1000 + i;  // FAULT
  __syncthreads();
  if (threadIdx.x == 0) {
    Flag raised(*static_cast<int*>(ncclGetLsaPointer(window, kFlag, peer)));
    Flag seen(*static_cast<int*>(ncclGetLocalPointer(window, kFlag)));
    raised.store(1, cuda::memory_order_relaxed);                  // FAULT
    while (seen.load(cuda::memory_order_acquire) == 0) continue;  // FAULT
  }
  __syncthreads();
  auto* own = static_cast<const int*>(ncclGetLocalPointer(window, 0));
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) out[i] = own[i];  // FAULT
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

void run_rank(int rank, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, kRanks, id, rank));
  const size_t bytes = kFlag + sizeof(int);
  int *memory, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), bytes));
  CHECK(cudaMemset(memory, 0, bytes));
  CHECK(cudaMalloc(&out, kFlag));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  push<<<1, 64>>>(dev_comm, window, out);
  std::vector<int> got(kCount);
  CHECK(cudaMemcpy(got.data(), out, kFlag, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; i++) wrong += got[i] != (1 - rank) * 1000 + i;
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaFree(out));
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
