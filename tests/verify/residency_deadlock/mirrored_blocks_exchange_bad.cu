// Block b waits for the last but b of the peer; with twice as many as fit the first half fills the GPU and waits for the rest.
// ranks: 2
// expect-finding: residency_deadlock
#include <nccl_device.h>

#include <cuda/atomic>

#include "../threads.h"

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void mirror(ncclDevComm comm, ncclWindow_t window, unsigned* done) {
  unsigned opposite = gridDim.x - 1 - blockIdx.x;
  auto* there = static_cast<unsigned*>(ncclGetLsaPointer(window, 0, 1 - comm.lsaRank));
  auto* here = static_cast<unsigned*>(ncclGetLocalPointer(window, 0));
  if (threadIdx.x == 0) {
    Flag(there[blockIdx.x]).store(1, cuda::memory_order_release);
    while (Flag(here[opposite]).load(cuda::memory_order_acquire) == 0) {  // FAULT
    }
    atomicAdd(done, 1u);
  }
}

int exchange(const Member& self) {
  int multiprocessors = 0, resident = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, mirror, 1024, 0));
  unsigned blocks = static_cast<unsigned>(2 * multiprocessors * resident + 8);  // FAULT
  char* memory;
  ncclWindow_t window;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), blocks * sizeof(unsigned)));
  CHECK(cudaMemset(memory, 0, blocks * sizeof(unsigned)));
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclCommWindowRegister(self.comm, memory, blocks * sizeof(unsigned), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(self.comm, &requirements, &dev_comm));
  unsigned *done, got = 0;
  CHECK(cudaMalloc(&done, sizeof(unsigned)));
  CHECK(cudaMemset(done, 0, sizeof(unsigned)));
  mirror<<<blocks, 1024>>>(dev_comm, window, done);  // FAULT
  CHECK(cudaMemcpy(&got, done, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(done));
  CHECK(ncclDevCommDestroy(self.comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(self.comm, window));
  CHECK(ncclMemFree(memory));
  return got != blocks;
}

int main() { return run_as_threads(2, exchange); }
