// The window object ends with its block, and the kernel launched after it uses the deregistered handle.
// ranks: 2
// expect-finding: memory_access
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 64;

class SymmetricBuffer {
 public:
  SymmetricBuffer(ncclComm_t comm, void* memory, size_t bytes) : comm_(comm) {
    CHECK(ncclCommWindowRegister(comm, memory, bytes, &handle_, NCCL_WIN_COLL_SYMMETRIC));
  }
  ~SymmetricBuffer() { CHECK(ncclCommWindowDeregister(comm_, handle_)); }  // FAULT
  ncclWindow_t handle() const { return handle_; }

 private:
  ncclComm_t comm_;
  ncclWindow_t handle_;
};

__global__ void push(ncclDevComm comm, ncclWindow_t window) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  int next = (comm.lsaRank + 1) % comm.lsaSize;
  auto* target = static_cast<int*>(ncclGetLsaPointer(window, 0, next));  // FAULT
  target[threadIdx.x] = comm.rank * 100 + threadIdx.x;                   // FAULT
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

void push_once(const Ranks& ranks, int* memory) {
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  ncclWindow_t window;
  {
    SymmetricBuffer buffer(ranks.comm, memory, kCount * sizeof(int));
    window = buffer.handle();
  }
  push<<<1, kCount>>>(dev_comm, window);  // FAULT
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kCount * sizeof(int)));
  push_once(ranks, memory);
  int left = (ranks.rank + ranks.count - 1) % ranks.count;
  std::vector<int> host = download(memory, kCount);
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != left * 100 + i;
  CHECK(ncclMemFree(memory));
  return ranks.verdict(wrong);
}
