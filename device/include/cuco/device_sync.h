// Device functions by which threads meet: barriers, warp operations, atomics, fences, cached loads and stores.
// Threads of the virtual cluster are fibers of one OS thread, so a read-modify-write between hooks is atomic as it is.
// None of these may use volatile accesses: the lowering turns volatile loads into polls.
#pragma once

#include <stdint.h>

#include "cuco/attributes.h"
#include "cuco/device_math.h"
#include "cuco/hooks.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"

#ifdef CUCO_CUDA_SOURCE
CUCO_DEVICE void cuco_syncthreads() { cuco_barrier(0, 0); }
// A macro, because Clang knows the name as a builtin of the GPU target.
#define __syncthreads() cuco_syncthreads()
CUCO_DEVICE int __syncthreads_count(int predicate) { return cuco_barrier_count(predicate != 0); }
CUCO_DEVICE int __syncthreads_and(int predicate) { return cuco_barrier_count(predicate == 0) == 0; }
CUCO_DEVICE int __syncthreads_or(int predicate) { return cuco_barrier_count(predicate != 0) != 0; }
CUCO_DEVICE void __barrier_sync(unsigned id) { cuco_barrier((int)id, 0); }
CUCO_DEVICE void __barrier_sync_count(unsigned id, unsigned count) { cuco_barrier((int)id, (int)count); }

CUCO_DEVICE void __threadfence_block() { cuco_fence(CucoScopeBlock); }
CUCO_DEVICE void __threadfence() { cuco_fence(CucoScopeDevice); }
CUCO_DEVICE void __threadfence_system() { cuco_fence(CucoScopeSystem); }

CUCO_DEVICE unsigned cuco_thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
CUCO_DEVICE unsigned cuco_lane() { return cuco_thread_in_block() & 31u; }

CUCO_DEVICE unsigned __activemask() { return cuco_active_mask(); }
CUCO_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) {
  unsigned present;
  cuco_warp_exchange(mask, 0, &present);
}

// One instruction each, counted as so many integer operations: a multiprocessor does 64 integer operations, 64 votes, and
// 16 reductions of a warp's lanes a clock (CUDA C++ Programming Guide, compute capability 8.0 and 9.0); matches are taken
// to be as fast as reductions.
CUCO_DEVICE void cuco_count_vote() { cuco_costs[1] += 1; }
CUCO_DEVICE void cuco_count_match() { cuco_costs[1] += 4; }

static CUCO_UNCOUNTED unsigned cuco_uncounted_ballot(const uint64_t* offers, unsigned present) {
  unsigned ballot = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    if (present >> lane & 1) ballot |= (unsigned)offers[lane] << lane;
  return ballot;
}
CUCO_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned present;
  const uint64_t* offers = cuco_warp_exchange(mask, predicate != 0, &present);
  cuco_count_vote();
  return cuco_uncounted_ballot(offers, present);
}
CUCO_DEVICE int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
CUCO_DEVICE int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }
CUCO_DEVICE int __uni_sync(unsigned mask, int predicate) {
  unsigned ballot = __ballot_sync(mask, predicate);
  return ballot == 0 || ballot == mask;
}

template <class T>
CUCO_DEVICE uint64_t cuco_offer(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t offer = 0;
  __builtin_memcpy(&offer, &value, sizeof value);
  return offer;
}
template <class T>
CUCO_DEVICE T cuco_taken(uint64_t offer) {
  T value;
  __builtin_memcpy(&value, &offer, sizeof value);
  return value;
}
// A lane outside the warp's present lanes yields the caller's own value, as the hardware leaves it unspecified.
template <class T>
CUCO_DEVICE T cuco_shuffle(unsigned mask, T value, unsigned source, bool in_range) {
  unsigned present;
  const uint64_t* offers = cuco_warp_exchange(mask, cuco_offer(value), &present);
  return in_range && (present >> source & 1) ? cuco_taken<T>(offers[source]) : value;
}
template <class T>
CUCO_DEVICE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  unsigned lane = cuco_lane();
  return cuco_shuffle(mask, value, (lane & ~(unsigned)(width - 1)) | ((unsigned)source & (unsigned)(width - 1)), true);
}
template <class T>
CUCO_DEVICE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = cuco_lane(), in_group = lane & (unsigned)(width - 1);
  return cuco_shuffle(mask, value, (lane - delta) & 31u, in_group >= delta);
}
template <class T>
CUCO_DEVICE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = cuco_lane(), in_group = lane & (unsigned)(width - 1);
  return cuco_shuffle(mask, value, (lane + delta) & 31u, in_group + delta < (unsigned)width);
}
template <class T>
CUCO_DEVICE T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  unsigned lane = cuco_lane(), source = lane ^ (unsigned)bits;
  return cuco_shuffle(mask, value, source & 31u, (source & ~(unsigned)(width - 1)) <= (lane & ~(unsigned)(width - 1)));
}
static CUCO_UNCOUNTED unsigned cuco_uncounted_match(const uint64_t* offers, unsigned present, uint64_t offer) {
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    if ((present >> lane & 1) && offers[lane] == offer) same |= 1u << lane;
  return same;
}
template <class T>
CUCO_DEVICE unsigned __match_any_sync(unsigned mask, T value) {
  unsigned present;
  const uint64_t* offers = cuco_warp_exchange(mask, cuco_offer(value), &present);
  cuco_count_match();
  return cuco_uncounted_match(offers, present, cuco_offer(value));
}
template <class T>
CUCO_DEVICE unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  unsigned same = __match_any_sync(mask, value);
  *predicate = same == mask;
  return *predicate ? mask : 0;
}

#define CUCO_REDUCE(NAME, T, COMBINE)                                                             \
  static CUCO_UNCOUNTED T cuco_uncounted##NAME(const uint64_t* offers, unsigned present, T value) { \
    bool first = true;                                                                            \
    T a = value;                                                                                  \
    for (unsigned lane = 0; lane < 32; lane++) {                                                  \
      if (!(present >> lane & 1)) continue;                                                       \
      T b = cuco_taken<T>(offers[lane]);                                                          \
      a = first ? b : (T)(COMBINE);                                                               \
      first = false;                                                                              \
    }                                                                                             \
    return a;                                                                                     \
  }                                                                                               \
  CUCO_DEVICE T NAME(unsigned mask, T value) {                                                    \
    unsigned present;                                                                             \
    const uint64_t* offers = cuco_warp_exchange(mask, cuco_offer(value), &present);               \
    cuco_count_match();                                                                           \
    return cuco_uncounted##NAME(offers, present, value);                                          \
  }
CUCO_REDUCE(__reduce_add_sync, int, a + b)
CUCO_REDUCE(__reduce_add_sync, unsigned, a + b)
CUCO_REDUCE(__reduce_min_sync, int, b < a ? b : a)
CUCO_REDUCE(__reduce_min_sync, unsigned, b < a ? b : a)
CUCO_REDUCE(__reduce_max_sync, int, a < b ? b : a)
CUCO_REDUCE(__reduce_max_sync, unsigned, a < b ? b : a)
CUCO_REDUCE(__reduce_and_sync, unsigned, a & b)
CUCO_REDUCE(__reduce_or_sync, unsigned, a | b)
CUCO_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef CUCO_REDUCE

// An exchange or compare-and-swap that leaves memory as it was may be a spin loop's probe. Of the other updates only the
// idioms for a load are taken for one: a maximum that does not grow says nothing about waiting.
template <class T>
CUCO_DEVICE uint64_t cuco_seen(T value) {
  uint64_t seen = 0;
  __builtin_memcpy(&seen, &value, sizeof(T) < 8 ? sizeof(T) : 8);
  return seen;
}
template <class T>
CUCO_DEVICE T cuco_exchanged(T* address, T before, T after) {
  CUCO_KEEP_ACCESS;
  *address = after;
  if (__builtin_memcmp(&before, &after, sizeof(T)) == 0)
    cuco_swap_failed(address, cuco_seen(before), sizeof(T));
  else
    cuco_swapped(address);
  return before;
}
template <class T>
CUCO_DEVICE T cuco_updated(T* address, T before, T after) {
  CUCO_KEEP_ACCESS;
  *address = after;
  if (__builtin_memcmp(&before, &after, sizeof(T)) != 0) cuco_changed();
  return before;
}
template <class T>
CUCO_DEVICE T cuco_probed(T* address, T before) {
  cuco_updated(address, before, before);
  cuco_poll(address, cuco_seen(before), sizeof(T));
  return before;
}
template <class T>
CUCO_DEVICE T cuco_added(T* address, T before, T value, T after) {
  return value == T(0) ? cuco_probed(address, before) : cuco_updated(address, before, after);
}
#define CUCO_ATOMIC_BY(STORE, NAME, T, EXPRESSION)                                              \
  CUCO_DEVICE T NAME(T* address, T val) { T old = *address; return STORE(address, old, (T)(EXPRESSION)); } \
  CUCO_DEVICE T NAME##_block(T* address, T val) { return NAME(address, val); }                  \
  CUCO_DEVICE T NAME##_system(T* address, T val) { return NAME(address, val); }
#define CUCO_ATOMIC(NAME, T, EXPRESSION) CUCO_ATOMIC_BY(cuco_updated, NAME, T, EXPRESSION)
#define CUCO_PROBE(ADDRESS, OLD, AFTER) cuco_added(ADDRESS, OLD, val, AFTER)
#define CUCO_ATOMIC_INTEGERS(NAME, EXPRESSION)         \
  CUCO_ATOMIC(NAME, int, EXPRESSION)                   \
  CUCO_ATOMIC(NAME, unsigned int, EXPRESSION)          \
  CUCO_ATOMIC(NAME, unsigned long long, EXPRESSION)
CUCO_ATOMIC_BY(CUCO_PROBE, atomicAdd, int, old + val)
CUCO_ATOMIC_BY(CUCO_PROBE, atomicAdd, unsigned int, old + val)
CUCO_ATOMIC_BY(CUCO_PROBE, atomicAdd, unsigned long long, old + val)
CUCO_ATOMIC(atomicAdd, float, old + val)
CUCO_ATOMIC(atomicAdd, double, old + val)
CUCO_ATOMIC(atomicSub, int, old - val)
CUCO_ATOMIC(atomicSub, unsigned int, old - val)
CUCO_ATOMIC_BY(cuco_exchanged, atomicExch, int, val)
CUCO_ATOMIC_BY(cuco_exchanged, atomicExch, unsigned int, val)
CUCO_ATOMIC_BY(cuco_exchanged, atomicExch, unsigned long long, val)
CUCO_ATOMIC_BY(cuco_exchanged, atomicExch, float, val)
CUCO_ATOMIC_INTEGERS(atomicMin, val < old ? val : old)
CUCO_ATOMIC(atomicMin, long long, val < old ? val : old)
CUCO_ATOMIC_INTEGERS(atomicMax, old < val ? val : old)
CUCO_ATOMIC(atomicMax, long long, old < val ? val : old)
CUCO_ATOMIC_INTEGERS(atomicAnd, old& val)
CUCO_ATOMIC_BY(CUCO_PROBE, atomicOr, int, old | val)
CUCO_ATOMIC_BY(CUCO_PROBE, atomicOr, unsigned int, old | val)
CUCO_ATOMIC_BY(CUCO_PROBE, atomicOr, unsigned long long, old | val)
CUCO_ATOMIC_INTEGERS(atomicXor, old ^ val)
CUCO_ATOMIC(atomicInc, unsigned int, old >= val ? 0 : old + 1)
CUCO_ATOMIC(atomicDec, unsigned int, old == 0 || old > val ? val : old - 1)
#undef CUCO_ATOMIC_INTEGERS
#undef CUCO_PROBE
#undef CUCO_ATOMIC
#undef CUCO_ATOMIC_BY

template <class T>
CUCO_DEVICE T cuco_compare_and_swap(T* address, T compare, T val) {
  T old = *address;
  if (old == compare && old == val) return cuco_probed(address, old);
  return cuco_exchanged(address, old, old == compare ? val : old);
}
#define CUCO_CAS(T)                                                                                                   \
  CUCO_DEVICE T atomicCAS(T* address, T compare, T val) { return cuco_compare_and_swap(address, compare, val); }       \
  CUCO_DEVICE T atomicCAS_block(T* address, T compare, T val) { return cuco_compare_and_swap(address, compare, val); } \
  CUCO_DEVICE T atomicCAS_system(T* address, T compare, T val) { return cuco_compare_and_swap(address, compare, val); }
CUCO_CAS(int)
CUCO_CAS(unsigned int)
CUCO_CAS(unsigned long long)
CUCO_CAS(unsigned short)
#undef CUCO_CAS

// Cache hints change nothing but time. The volatile-like __ldcv and the coherent __ldcg may sit in spin loops.
#define CUCO_LOAD(NAME)                                     \
  template <class T>                                        \
  CUCO_DEVICE T NAME(const T* address) { return *address; }
CUCO_LOAD(__ldg)
CUCO_LOAD(__ldca)
CUCO_LOAD(__ldcs)
CUCO_LOAD(__ldlu)
#undef CUCO_LOAD
template <class T>
CUCO_DEVICE T cuco_polled_load(const T* address) {
  uint64_t seen = 0;
  __builtin_memcpy(&seen, address, sizeof(T) < 8 ? sizeof(T) : 8);
  T value = *address;
  cuco_poll(address, seen, sizeof(T) < 8 ? sizeof(T) : 8);
  return value;
}
template <class T>
CUCO_DEVICE T __ldcg(const T* address) { return cuco_polled_load(address); }
template <class T>
CUCO_DEVICE T __ldcv(const T* address) { return cuco_polled_load(address); }
#define CUCO_STORE(NAME)                                              \
  template <class T, class V>                                         \
  CUCO_DEVICE void NAME(T* address, V value) { *address = (T)value; }
CUCO_STORE(__stwb)
CUCO_STORE(__stcg)
CUCO_STORE(__stcs)
CUCO_STORE(__stwt)
#undef CUCO_STORE

CUCO_DEVICE long long clock64() { return (long long)cuco_clock(); }
CUCO_DEVICE clock_t cuco_clock_low() { return (clock_t)cuco_clock(); }
CUCO_DEVICE unsigned long long __globaltimer() { return cuco_global_timer_ns(); }
CUCO_DEVICE void __nanosleep(unsigned ns) { cuco_sleep(ns); }
CUCO_DEVICE void __trap() { cuco_trap("__trap"); }
CUCO_DEVICE void __brkpt() { cuco_trap("__brkpt"); }
CUCO_DEVICE void __prof_trigger(int) {}

// Generic addresses stay what they are: "shared" and "global" addresses of PTX operands are the pointers themselves.
CUCO_DEVICE size_t __cvta_generic_to_shared(const void* p) { return (size_t)p; }
CUCO_DEVICE size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }
CUCO_DEVICE void* __cvta_shared_to_generic(size_t p) { return (void*)p; }
CUCO_DEVICE void* __cvta_global_to_generic(size_t p) { return (void*)p; }
CUCO_DEVICE size_t __cvta_generic_to_local(const void* p) { return (size_t)p; }
CUCO_DEVICE void* __cvta_local_to_generic(size_t p) { return (void*)p; }
CUCO_DEVICE size_t __cvta_generic_to_constant(const void* p) { return (size_t)p; }
CUCO_DEVICE void* __cvta_constant_to_generic(size_t p) { return (void*)p; }
CUCO_DEVICE size_t __cvta_generic_to_grid_constant(const void* p) { return (size_t)p; }
CUCO_DEVICE void* __cvta_grid_constant_to_generic(size_t p) { return (void*)p; }
// Shared memory lies below 4 GiB, all else above.
CUCO_DEVICE unsigned __isShared(const void* p) { return (uint64_t)p < 1ull << 32; }
CUCO_DEVICE unsigned __isGlobal(const void* p) { return !__isShared(p); }
#endif
