// Every rank zeroes its signal pad and all of them meet before the first signal.
// ranks: 2
// expect: no findings
#include <cuda/atomic>

#include "../pair.h"

using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void greet(ncclDevComm comm, ncclWindow_t pad) {
  Flag(*static_cast<int*>(ncclGetLsaPointer(pad, 0, 1 - comm.lsaRank))).store(1, cuda::memory_order_release);
  while (Flag(*static_cast<int*>(ncclGetLocalPointer(pad, 0))).load(cuda::memory_order_acquire) != 1) continue;
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  Window pad(pair.ranks.comm, 4096);
  CHECK(cudaMemset(pad.base, 0, 4096));
  pair.meet();
  greet<<<1, 1>>>(pair.dev_comm, pad.handle);
  pair.meet();
}
