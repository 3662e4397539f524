// Two ranks, each with a window of slots that hold its own numbers, and a device communicator.
#pragma once

#include <nccl_device.h>

#include "../simulate/support.h"

constexpr int kCount = 32;  // Numbers in a slot, and threads of a block.
constexpr size_t kBytes = kCount * sizeof(int);
constexpr int kSlots = 32;

__host__ __device__ constexpr size_t slot(int index) { return index * kBytes; }
__device__ inline int* numbers_at(ncclWindow_t window, int index) {
  return static_cast<int*>(ncclGetLocalPointer(window, slot(index)));
}

// What NCCL 2.30 wants in addition, 2.28 ignores.
inline ncclDevCommRequirements requirements_of_pair() {
  ncclDevCommRequirements needs{};
  needs.lsaBarrierCount = 1;
  needs.railGinBarrierCount = 1;
  needs.ginSignalCount = 4;
  needs.ginContextCount = 2;
  needs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
  needs.ginStrongSignalsRequired = needs.ginVaSignalsRequired = true;
  return needs;
}

struct Pair {
  Ranks ranks;
  Window window;
  ncclDevComm dev_comm;
  int* sums = nullptr;  // kCount of them.

  Pair(int* argc, char*** argv, int window_flags = NCCL_WIN_COLL_SYMMETRIC,
       const ncclDevCommRequirements& needs = requirements_of_pair())
      : ranks(argc, argv), window(ranks.comm, kSlots * kBytes, window_flags) {
    std::vector<int> numbers(kSlots * kCount, 0);
    for (int i = 0; i < kSlots / 2 * kCount; i++) numbers[i] = 1000 * ranks.rank + i;  // The upper half is zero.
    upload(reinterpret_cast<int*>(window.base), numbers);
    CHECK(cudaMalloc(&sums, kBytes));
    CHECK(cudaMemset(sums, 0, kBytes));
    CHECK(ncclDevCommCreate(ranks.comm, &needs, &dev_comm));
    meet();
  }
  ~Pair() {
    meet();
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
    CHECK(cudaFree(sums));
  }
  Pair(const Pair&) = delete;

  // Nothing that either rank has launched goes on.
  void meet() const {
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
  }
};
