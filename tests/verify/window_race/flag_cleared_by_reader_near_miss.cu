// The reader clears the flag and then lets the writer go on.
// ranks: 2
// expect: no findings
#include <cuda/atomic>

#include "../pair.h"

using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__device__ Flag flag_of(ncclWindow_t window, int rank, int index) {
  return Flag(static_cast<int*>(ncclGetLsaPointer(window, slot(24), rank))[index]);
}

// Flag 0 says that a round's number is there, flag 1 that it was taken.
__global__ void stream_rounds(ncclDevComm comm, ncclWindow_t window, int* sums) {
  for (int round = 1; round <= 3; round++) {
    if (comm.lsaRank == 0) {
      static_cast<int*>(ncclGetLsaPointer(window, slot(16 + round), 1))[0] = round;
      flag_of(window, 1, 0).store(round, cuda::memory_order_release);
      while (flag_of(window, 0, 1).load(cuda::memory_order_acquire) < round) continue;
    } else {
      while (flag_of(window, 1, 0).load(cuda::memory_order_acquire) < round) continue;
      sums[0] += numbers_at(window, 16 + round)[0];
      *static_cast<int*>(ncclGetLocalPointer(window, slot(24))) = 0;
      flag_of(window, 0, 1).store(round, cuda::memory_order_release);
    }
  }
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  stream_rounds<<<1, 1>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
