// Groups of threads that act together: a lane tile, some lanes, consecutive warps, the whole block.
#pragma once

#include "nccl_device/utility.h"

#ifdef CUCO_CUDA_SOURCE
template <int nThreadsPow2>
struct ncclCoopTile {
  static_assert(nccl::utility::isPow2(nThreadsPow2) && nThreadsPow2 <= 32, "a power of two of at most a warp");
  NCCL_DEVICE_INLINE int thread_rank() const { return nccl::utility::lane() % nThreadsPow2; }
  NCCL_DEVICE_INLINE constexpr int size() const { return nThreadsPow2; }
  NCCL_DEVICE_INLINE constexpr int num_threads() const { return nThreadsPow2; }
  NCCL_DEVICE_INLINE uint32_t laneMask() const {
    return (~0u >> (32 - nThreadsPow2)) << (nccl::utility::lane() & -nThreadsPow2);
  }
  NCCL_DEVICE_INLINE void sync() {
    if (nThreadsPow2 > 1) __syncwarp(laneMask());
  }
};
typedef ncclCoopTile<1> ncclCoopThread;
typedef ncclCoopTile<32> ncclCoopWarp;

struct ncclCoopLanes {
  uint32_t lmask;
  NCCL_DEVICE_INLINE constexpr ncclCoopLanes(uint32_t lmask = ~0u) : lmask(lmask) {}
  NCCL_DEVICE_INLINE int thread_rank() const { return __popc(lmask & nccl::utility::lanemask_lt()); }
  NCCL_DEVICE_INLINE int size() const { return __popc(lmask); }
  NCCL_DEVICE_INLINE int num_threads() const { return __popc(lmask); }
  NCCL_DEVICE_INLINE void sync() { __syncwarp(lmask); }
};

// `id` in [0, 15] names the hardware barrier; two spans in a collective at once need different ids.
struct ncclCoopWarpSpan {
  uint32_t warp0 : 8, nWarps : 8, id : 8;
  NCCL_DEVICE_INLINE constexpr ncclCoopWarpSpan(int warp0, int nWarps, int id)
      : warp0(warp0), nWarps(nWarps), id(id) {}
  NCCL_DEVICE_INLINE int thread_rank() const { return threadIdx.x - 32 * warp0; }
  NCCL_DEVICE_INLINE int size() const { return 32 * nWarps; }
  NCCL_DEVICE_INLINE int num_threads() const { return 32 * nWarps; }
  NCCL_DEVICE_INLINE void sync() {
    cuco_span_at(1 + id, warp0);
    __barrier_sync_count(1 + id, 32 * nWarps);
  }
};

struct ncclCoopCta {
  NCCL_DEVICE_INLINE int thread_rank() const { return threadIdx.x; }
  NCCL_DEVICE_INLINE int size() const { return blockDim.x; }
  NCCL_DEVICE_INLINE int num_threads() const { return blockDim.x; }
  NCCL_DEVICE_INLINE void sync() { cuco_syncthreads(); }
};

template <int n>
NCCL_DEVICE_INLINE uint32_t ncclCoopGetLaneMask(ncclCoopTile<n> coop) { return coop.laneMask(); }
NCCL_DEVICE_INLINE uint32_t ncclCoopGetLaneMask(ncclCoopLanes coop) { return coop.lmask; }
NCCL_DEVICE_INLINE uint32_t ncclCoopGetLaneMask(ncclCoopWarpSpan) { return ~0u; }
NCCL_DEVICE_INLINE uint32_t ncclCoopGetLaneMask(ncclCoopCta) { return ~0u; }

template <int n>
NCCL_DEVICE_INLINE constexpr bool ncclCoopIsThread(ncclCoopTile<n>) { return n == 1; }
NCCL_DEVICE_INLINE constexpr bool ncclCoopIsThread(ncclCoopLanes) { return false; }
NCCL_DEVICE_INLINE constexpr bool ncclCoopIsThread(ncclCoopWarpSpan) { return false; }
NCCL_DEVICE_INLINE constexpr bool ncclCoopIsThread(ncclCoopCta) { return false; }

template <int n>
NCCL_DEVICE_INLINE constexpr bool ncclCoopWithinWarp(ncclCoopTile<n>) { return true; }
NCCL_DEVICE_INLINE constexpr bool ncclCoopWithinWarp(ncclCoopLanes) { return true; }
NCCL_DEVICE_INLINE constexpr bool ncclCoopWithinWarp(ncclCoopWarpSpan) { return false; }
NCCL_DEVICE_INLINE constexpr bool ncclCoopWithinWarp(ncclCoopCta) { return false; }

NCCL_DEVICE_INLINE ncclCoopLanes ncclCoopCoalesced() { return ncclCoopLanes{__activemask()}; }
template <class Coop>
NCCL_DEVICE_INLINE ncclCoopTile<32> ncclCoopCoalesced(Coop) { return ncclCoopTile<32>(); }
NCCL_DEVICE_INLINE ncclCoopLanes ncclCoopCoalesced(ncclCoopLanes coop) { return coop; }
template <int n>
NCCL_DEVICE_INLINE ncclCoopTile<n> ncclCoopCoalesced(ncclCoopTile<n> coop) { return coop; }

// Broadcast inside a warp: by shuffle. Across warps: through one slot of shared memory per span.
template <class T>
NCCL_DEVICE_INLINE T cuco_broadcast_lanes(uint32_t mask, T value, int lane) {
  constexpr int words = (sizeof(T) + 7) / 8;
  uint64_t word[words] = {};
  __builtin_memcpy(word, &value, sizeof(T));
  for (int i = 0; i < words; i++) word[i] = __shfl_sync(mask, word[i], lane);
  __builtin_memcpy(&value, word, sizeof(T));
  return value;
}
template <int n, class T>
NCCL_DEVICE_INLINE T ncclCoopBcast(ncclCoopTile<n> coop, T value, int root, bool entrySync = true) {
  return cuco_broadcast_lanes(coop.laneMask(), value, (nccl::utility::lane() & -n) + root);
}
template <class T>
NCCL_DEVICE_INLINE T ncclCoopBcast(ncclCoopLanes coop, T value, int root, bool entrySync = true) {
  return cuco_broadcast_lanes(coop.lmask, value, (int)__fns(coop.lmask, 0, 1 + root));
}
template <class Coop, class T>
NCCL_DEVICE_INLINE T cuco_broadcast_shared(Coop coop, T value, int root, int slot) {
  static_assert(sizeof(T) <= 16, "at most 16 bytes");
  __shared__ ulonglong2 stash[16];
  coop.sync();
  if (coop.thread_rank() == root) __builtin_memcpy(&stash[slot], &value, sizeof(T));
  coop.sync();
  __builtin_memcpy(&value, &stash[slot], sizeof(T));
  return value;
}
template <class T>
NCCL_DEVICE_INLINE T ncclCoopBcast(ncclCoopWarpSpan coop, T value, int root, bool entrySync = true) {
  return cuco_broadcast_shared(coop, value, root, coop.id);
}
template <class T>
NCCL_DEVICE_INLINE T ncclCoopBcast(ncclCoopCta coop, T value, int root, bool entrySync = true) {
  return cuco_broadcast_shared(coop, value, root, 15);
}
#endif
