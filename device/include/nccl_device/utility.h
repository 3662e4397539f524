#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cuda/atomic"
#include "nccl.h"

#ifdef CUCO_CUDA_SOURCE
#define NCCL_DEVICE_INLINE __device__ __forceinline__
#define NCCL_HOST_DEVICE_INLINE __host__ __device__ __forceinline__
#else
#define NCCL_DEVICE_INLINE
#define NCCL_HOST_DEVICE_INLINE inline __attribute__((always_inline))
#endif
#define NCCL_EXTERN_C extern "C"

namespace nccl::utility {
template <class X, class Y, class Z = decltype(X() + Y())>
NCCL_HOST_DEVICE_INLINE constexpr Z divUp(X x, Y y) { return (x + y - 1) / y; }
template <class X, class Y, class Z = decltype(X() + Y())>
NCCL_HOST_DEVICE_INLINE constexpr Z roundUp(X x, Y y) { return (x + y - 1) / y * y; }
template <class X, class Y, class Z = decltype(X() + Y())>
NCCL_HOST_DEVICE_INLINE constexpr Z roundDown(X x, Y y) { return x / y * y; }
template <class Int>
NCCL_HOST_DEVICE_INLINE constexpr bool isPow2(Int x) { return (x & (x - 1)) == 0; }
// a <= b for counters that wrap at nBits.
template <class Uint>
NCCL_HOST_DEVICE_INLINE bool rollingLessEq(Uint a, Uint b, int nBits = 8 * sizeof(Uint)) {
  Uint mask = Uint(-1) >> (8 * sizeof(Uint) - nBits);
  return ((b - a) & mask) <= (mask >> 1);
}
template <class Uint>
NCCL_HOST_DEVICE_INLINE bool rollingLessThan(Uint a, Uint b, int nBits = 8 * sizeof(Uint)) {
  return !rollingLessEq(b, a, nBits);
}
#ifdef CUCO_CUDA_SOURCE
NCCL_DEVICE_INLINE int lane() { return (int)cuco_lane(); }
NCCL_DEVICE_INLINE unsigned lanemask_lt() { return (1u << cuco_lane()) - 1; }
template <class T>
NCCL_DEVICE_INLINE T loadConst(const T* p) { return *p; }
NCCL_DEVICE_INLINE cuda::memory_order acquireOrderOf(cuda::memory_order order) {
  if (order == cuda::memory_order_release) return cuda::memory_order_relaxed;
  return order == cuda::memory_order_acq_rel ? cuda::memory_order_acquire : order;
}
NCCL_DEVICE_INLINE cuda::memory_order releaseOrderOf(cuda::memory_order order) {
  if (order == cuda::memory_order_acquire) return cuda::memory_order_relaxed;
  return order == cuda::memory_order_acq_rel ? cuda::memory_order_release : order;
}
#endif
}  // namespace nccl::utility
