// Two slots take turns and their flags are set to one: a slot's second use is met by the flag of its first.
// ranks: 2
// expect-finding: window_race
#include <cuda/atomic>

#include "../pair.h"

using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__device__ int* flags_of(ncclWindow_t window, int rank) {
  return static_cast<int*>(ncclGetLsaPointer(window, slot(24), rank));
}

// Flags 0 and 1 say that a slot is full, flag 2 how many rounds the reader has taken.
__global__ void stream_rounds(ncclDevComm comm, ncclWindow_t window, int* sums) {
  for (int round = 1; round <= 4; round++) {
    int full = round % 2;
    int mark = 1;
    if (comm.lsaRank == 0) {
      while (Flag(flags_of(window, 0)[2]).load(cuda::memory_order_acquire) < round - 2) continue;
      static_cast<int*>(ncclGetLsaPointer(window, slot(16 + full), 1))[0] = round;  // FAULT
      Flag(flags_of(window, 1)[full]).store(mark, cuda::memory_order_release);
    } else {
      while (Flag(flags_of(window, 1)[full]).load(cuda::memory_order_acquire) < mark) continue;
      sums[0] += numbers_at(window, 16 + full)[0];  // FAULT
      Flag(flags_of(window, 0)[2]).store(round, cuda::memory_order_release);
    }
  }
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  stream_rounds<<<1, 1>>>(pair.dev_comm, pair.window.handle, pair.sums);
}
