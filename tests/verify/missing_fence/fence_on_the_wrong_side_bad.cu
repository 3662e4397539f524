// The data and the flag go to the peer with the fence after the flag instead of between them.
// ranks: 2
// expect-finding: missing_fence
#include <nccl_device.h>

#include <cuda/atomic>

#include "../threads.h"

constexpr int kCount = 64;
constexpr size_t kFlagAt = kCount * sizeof(int);
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void hand_over(ncclDevComm comm, ncclWindow_t window, int* out) {
  int peer = 1 - comm.lsaRank;
  auto* data = static_cast<int*>(ncclGetLsaPointer(window, 0, peer));
  for (int i = 0; i < kCount; i++) data[i] = 1000 * comm.rank + i;  // FAULT
  Flag there(*static_cast<unsigned*>(ncclGetLsaPointer(window, kFlagAt, peer)));
  there.store(1, cuda::memory_order_relaxed);  // FAULT
  __threadfence_system();  // FAULT
  Flag here(*static_cast<unsigned*>(ncclGetLocalPointer(window, kFlagAt)));
  while (here.load(cuda::memory_order_acquire) == 0) {
  }
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int i = 0; i < kCount; i++) out[i] = own[i];  // FAULT
}

int run_rank(const Member& self) {
  char* memory;
  ncclWindow_t window;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kFlagAt + 64));
  CHECK(cudaMemset(memory, 0, kFlagAt + 64));
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclCommWindowRegister(self.comm, memory, kFlagAt + 64, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(self.comm, &requirements, &dev_comm));
  int* out;
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  hand_over<<<1, 1>>>(dev_comm, window, out);
  std::vector<int> got(kCount);
  CHECK(cudaMemcpy(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != 1000 * (1 - self.rank) + i;
  CHECK(cudaFree(out));
  CHECK(ncclDevCommDestroy(self.comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(self.comm, window));
  CHECK(ncclMemFree(memory));
  return wrong;
}

int main() { return run_as_threads(2, run_rank); }
