// cuda::atomic and cuda::atomic_ref with their scopes. The operations are plain memory accesses, atomic because all
// threads of a run share one OS thread; loads poll, so that spin loops let others run. The order and scope of each
// operation reach the runtime as fences.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#include "cuda_runtime.h"

namespace cuda {
enum memory_order {
  memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel,
  memory_order_seq_cst
};
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

namespace std {
using ::cuda::memory_order;
using ::cuda::memory_order_acq_rel;
using ::cuda::memory_order_acquire;
using ::cuda::memory_order_consume;
using ::cuda::memory_order_relaxed;
using ::cuda::memory_order_release;
using ::cuda::memory_order_seq_cst;
}  // namespace std

#ifdef CUCO_CUDA_SOURCE
namespace cuco_detail {
// Host code may use these classes too; it has no fences or polls to announce.
__host__ __device__ inline void before(memory_order order, thread_scope scope) {
  if (order >= memory_order_release) cuco_fence(scope);
}
__host__ __device__ inline void after(memory_order order, thread_scope scope) {
  if (order != memory_order_relaxed && order != memory_order_release) cuco_fence(scope);
}
enum access_kind { atomic_read = 2, atomic_write = 3, atomic_update = 4 };
template <class T>
__host__ __device__ inline void report(const T* address, access_kind kind, memory_order order, thread_scope scope) {
#ifdef CUCO_CHECKING
  int orders[] = {0, 1, 1, 2, 3, 4};
  int scopes[] = {2, 1, 0, 0};
  cuco_atomic_access(address, sizeof(T), kind, orders[order], scopes[scope]);
#else
  (void)address, (void)kind, (void)order, (void)scope;
#endif
}
template <class T>
__host__ __device__ T load(const T* address) {
  T value = *address;
  uint64_t seen = 0;
  __builtin_memcpy(&seen, &value, sizeof(T) < 8 ? sizeof(T) : 8);
  cuco_poll(address, seen, sizeof(T) < 8 ? sizeof(T) : 8);
  return value;
}

template <class T>
__host__ __device__ void note_swap(const T* address, T old, bool changed) {
  uint64_t seen = 0;
  __builtin_memcpy(&seen, &old, sizeof(T) < 8 ? sizeof(T) : 8);
  if (changed) cuco_swapped(address);
  else cuco_swap_failed(address, seen, sizeof(T) < 8 ? sizeof(T) : 8);
}

template <class T, thread_scope Scope>
struct operations {
  __host__ __device__ static T load_from(const T* p, memory_order order) {
    T value = load(p);
    report(p, atomic_read, order, Scope);
    after(order, Scope);
    return value;
  }
  __host__ __device__ static void store_to(T* p, T value, memory_order order) {
    before(order, Scope);
    report(p, atomic_write, order, Scope);
    *p = value;
  }
  template <class Change>
  __host__ __device__ static T update(T* p, memory_order order, Change change) {
    before(order, Scope);
    report(p, atomic_update, order, Scope);
    T old = *p;
    T wanted = change(old);
    *p = wanted;
    if (__builtin_memcmp(&old, &wanted, sizeof(T)) == 0) load(p);
    else cuco_changed();
    after(order, Scope);
    return old;
  }
  __host__ __device__ static T exchange(T* p, T wanted, memory_order order) {
    before(order, Scope);
    report(p, atomic_update, order, Scope);
    T old = *p;
    *p = wanted;
    note_swap(p, old, __builtin_memcmp(&old, &wanted, sizeof(T)) != 0);
    after(order, Scope);
    return old;
  }
  __host__ __device__ static bool compare_exchange(T* p, T& expected, T desired, memory_order order) {
    before(order, Scope);
    report(p, atomic_update, order, Scope);
    T old = *p;
    bool same = __builtin_memcmp(&old, &expected, sizeof(T)) == 0;
    if (same) *p = desired;
    note_swap(p, old, same);
    expected = old;
    after(order, Scope);
    return same;
  }
};
}  // namespace cuco_detail

// The members that atomic and atomic_ref share; Derived::address() says where the value lives.
template <class T, thread_scope Scope, class Derived>
struct cuco_atomic_members {
  using value_type = T;
  using ops = cuco_detail::operations<T, Scope>;
  __host__ __device__ T* self() const { return static_cast<const Derived*>(this)->address(); }
  __host__ __device__ bool is_lock_free() const { return true; }
  __host__ __device__ T load(memory_order order = memory_order_seq_cst) const { return ops::load_from(self(), order); }
  __host__ __device__ void store(T value, memory_order order = memory_order_seq_cst) const {
    ops::store_to(self(), value, order);
  }
  __host__ __device__ operator T() const { return load(); }
  __host__ __device__ T exchange(T value, memory_order order = memory_order_seq_cst) const {
    return ops::exchange(self(), value, order);
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T desired,
                                                   memory_order order = memory_order_seq_cst) const {
    return ops::compare_exchange(self(), expected, desired, order);
  }
  __host__ __device__ bool compare_exchange_strong(T& expected, T desired, memory_order order, memory_order) const {
    return ops::compare_exchange(self(), expected, desired, order);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T desired,
                                                 memory_order order = memory_order_seq_cst) const {
    return ops::compare_exchange(self(), expected, desired, order);
  }
  __host__ __device__ bool compare_exchange_weak(T& expected, T desired, memory_order order, memory_order) const {
    return ops::compare_exchange(self(), expected, desired, order);
  }
#define CUCO_FETCH(NAME, EXPRESSION)                                                                   \
  __host__ __device__ T NAME(T value, memory_order order = memory_order_seq_cst) const {               \
    return ops::update(self(), order, [=](T old) { return (T)(EXPRESSION); });                         \
  }
  CUCO_FETCH(fetch_add, old + value)
  CUCO_FETCH(fetch_sub, old - value)
  CUCO_FETCH(fetch_and, old & value)
  CUCO_FETCH(fetch_or, old | value)
  CUCO_FETCH(fetch_xor, old ^ value)
  CUCO_FETCH(fetch_min, value < old ? value : old)
  CUCO_FETCH(fetch_max, old < value ? value : old)
#undef CUCO_FETCH
  __host__ __device__ T operator+=(T value) const { return fetch_add(value) + value; }
  __host__ __device__ T operator-=(T value) const { return fetch_sub(value) - value; }
  __host__ __device__ T operator++() const { return fetch_add(1) + 1; }
  __host__ __device__ T operator++(int) const { return fetch_add(1); }
  __host__ __device__ T operator--() const { return fetch_sub(1) - 1; }
  __host__ __device__ T operator--(int) const { return fetch_sub(1); }
  __host__ __device__ void wait(T old, memory_order order = memory_order_seq_cst) const {
    while (load(order) == old) {}
  }
  __host__ __device__ void notify_one() const {}
  __host__ __device__ void notify_all() const {}
};

template <class T, thread_scope Scope = thread_scope_system>
struct atomic : cuco_atomic_members<T, Scope, atomic<T, Scope>> {
  mutable T value;
  __host__ __device__ T* address() const { return &value; }
  atomic() = default;
  __host__ __device__ constexpr atomic(T initial) : value(initial) {}
  atomic(const atomic&) = delete;
  __host__ __device__ T operator=(T desired) {
    this->store(desired);
    return desired;
  }
};

template <class T, thread_scope Scope = thread_scope_system>
struct atomic_ref : cuco_atomic_members<T, Scope, atomic_ref<T, Scope>> {
  T* referred;
  __host__ __device__ T* address() const { return referred; }
  __host__ __device__ explicit atomic_ref(T& object) : referred(&object) {}
  atomic_ref(const atomic_ref&) = default;
  __host__ __device__ T operator=(T desired) const {
    this->store(desired);
    return desired;
  }
};

struct atomic_flag {
  mutable int value = 0;
  __host__ __device__ bool test_and_set(memory_order = memory_order_seq_cst) { return atomic_ref<int>(value).exchange(1); }
  __host__ __device__ bool test(memory_order = memory_order_seq_cst) const { return atomic_ref<int>(value).load(); }
  __host__ __device__ void clear(memory_order = memory_order_seq_cst) { value = 0; }
};

__host__ __device__ inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order != memory_order_relaxed) cuco_fence(scope);
}

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using ::cuda::atomic_thread_fence;
}  // namespace std
#endif
}  // namespace cuda
