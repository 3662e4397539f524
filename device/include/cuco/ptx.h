// What the lowering writes in place of inline PTX. An address operand is a char* to the memory itself; types are named
// after their PTX suffix.
#pragma once

#include <stdint.h>

#include "cuco/async_copy.h"
#include "cuco/cuda_atomic.h"
#include "cuco/small_float.h"
#include "cuda_runtime.h"

extern "C" {
// The peers' addresses behind a multicast address. Returns how many there are.
__device__ int cuco_multicast_targets(const void* address, char** targets, int target_count_max);
// So many bytes of each of them have been loaded.
__device__ void cuco_multicast_loaded(char** targets, int count, size_t bytes);
}

namespace cuco_ptx {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s32 = int32_t;
using s64 = int64_t;
using b16 = uint16_t;
using b32 = uint32_t;
using b64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using f32 = float;
using f64 = double;
using pred = bool;

// Formats that only matrix and conversion instructions know; a register holds their bits.
struct bf16 {};
struct f16 {};
struct tf32 {};
struct e4m3 {};
struct e5m2 {};

// Two 16-bit floats in one 32-bit register.
struct e4m3x2 {};
struct e5m2x2 {};
using b8 = uint8_t;
using b128 = unsigned __int128;
template <bool First, class A, class B> struct select { using type = A; };
template <class A, class B> struct select<false, A, B> { using type = B; };
struct bf16x2 { uint32_t bits; };
struct f16x2 { uint32_t bits; };

template <class To, class From>
__device__ __forceinline__ void give(To& to, const From& from) {
  if constexpr (sizeof(To) == sizeof(From)) {
    __builtin_memcpy(&to, &from, sizeof(To));
  } else {
    to = (To)from;
  }
}

// The low bytes of a register, or a number that is narrower than it.
template <class T, class Value>
__device__ __forceinline__ T narrowed(Value value) {
  T result;
  if constexpr (sizeof(T) <= sizeof(Value)) {
    __builtin_memcpy(&result, &value, sizeof(T));
  } else {
    result = (T)value;
  }
  return result;
}

// T is what memory holds; a wider register takes it as a number. A load that others may answer is an atomic one; of
// several words at once it is looked at before and taken in one go.
template <bool Polls, class T, class... Registers>
__device__ __forceinline__ void load(const char* address, Registers&... registers) {
  if constexpr (Polls && sizeof...(Registers) == 1) {
    using flag = cuda::cuco_detail::operations<T, cuda::thread_scope_system>;
    (give(registers, flag::load_from((const T*)address, cuda::memory_order_relaxed)), ...);
    return;
  }
  if (Polls) {
    uint64_t seen = 0;
    __builtin_memcpy(&seen, address, sizeof(T) < 8 ? sizeof(T) : 8);
    cuco_poll(address, seen, sizeof(T) < 8 ? sizeof(T) : 8);
  }
  size_t at = 0;
  auto next = [&](auto& into) {
    T value;
    __builtin_memcpy(&value, address + at, sizeof(T));
    give(into, value);
    at += sizeof(T);
  };
  (next(registers), ...);
}
// Which stores are flags the text does not tell: all count as relaxed atomics, fences stand beside them.
template <class T, class... Values>
__device__ __forceinline__ void store(char* address, Values... values) {
  size_t at = 0;
  ((cuda::cuco_detail::operations<T, cuda::thread_scope_system>::store_to((T*)(address + at), narrowed<T>(values),
                                                                          cuda::memory_order_relaxed),
    at += sizeof(T)),
   ...);
}
// Of `bytes`, the first `given` come from the source; the rest are zero.
__device__ __forceinline__ void copy(char* target, const char* source, int bytes, int given) {
  memcpy_async_begins(target, source, (size_t)bytes, (size_t)given);
}
__device__ __forceinline__ void copy(char* target, const char* source, int bytes) { copy(target, source, bytes, bytes); }

// Shared memory lies below 4 GiB, so that programs can keep its addresses in 32 bits, signed or not.
template <class Address>
__device__ __forceinline__ char* shared_address(Address address) {
  if constexpr (sizeof(Address) == 4) return (char*)(uintptr_t)(uint32_t)address;
  else return (char*)address;
}

template <class T, class Value>
__device__ __forceinline__ T bits_as(Value value) {
  T result;
  if constexpr (sizeof(T) == sizeof(Value)) {
    __builtin_memcpy(&result, &value, sizeof(T));
  } else {
    result = (T)value;
  }
  return result;
}

#define CUCO_PTX_OPERATION(NAME, STORE, EXPRESSION)                              \
  struct NAME##_op {                                                             \
    template <class T>                                                           \
    static __device__ T apply(T old, T value) { return (T)(EXPRESSION); }        \
  };                                                                             \
  template <class T, class Value>                                                \
  __device__ __forceinline__ T update_##NAME(char* address, Value value) {       \
    T old = *(T*)address;                                                        \
    return STORE((T*)address, old, NAME##_op::apply(old, bits_as<T>(value))); \
  }
CUCO_PTX_OPERATION(add, cuco_updated, old + value)
CUCO_PTX_OPERATION(min, cuco_updated, value < old ? value : old)
CUCO_PTX_OPERATION(max, cuco_updated, old < value ? value : old)
CUCO_PTX_OPERATION(exch, cuco_exchanged, value)
#undef CUCO_PTX_OPERATION
#define CUCO_PTX_BITWISE(NAME, OPERATOR)                                         \
  struct NAME##_op {                                                             \
    template <class T>                                                           \
    static __device__ T apply(T old, T value) { return old OPERATOR value; }     \
  };                                                                             \
  template <class T, class Value>                                                \
  __device__ __forceinline__ T update_##NAME(char* address, Value value) {       \
    T old = *(T*)address;                                                        \
    return cuco_updated((T*)address, old, (T)(old OPERATOR bits_as<T>(value))); \
  }
CUCO_PTX_BITWISE(bitand_, &)
CUCO_PTX_BITWISE(bitor_, |)
CUCO_PTX_BITWISE(bitxor_, ^)
#undef CUCO_PTX_BITWISE
template <class T, class Compare, class Value>
__device__ __forceinline__ T update_cas(char* address, Compare compare, Value value) {
  return cuco_compare_and_swap((T*)address, bits_as<T>(compare), bits_as<T>(value));
}

// Sixteen-bit pairs add lane by lane.
template <>
inline __device__ bf16x2 add_op::apply(bf16x2 a, bf16x2 b) {
  using namespace cuco_float;
  uint32_t low = bf16_of(from_bf16((uint16_t)a.bits) + from_bf16((uint16_t)b.bits));
  uint32_t high = bf16_of(from_bf16((uint16_t)(a.bits >> 16)) + from_bf16((uint16_t)(b.bits >> 16)));
  return {high << 16 | low};
}
template <>
inline __device__ f16x2 add_op::apply(f16x2 a, f16x2 b) {
  using namespace cuco_float;
  uint32_t low = half_of(from_half((uint16_t)a.bits) + from_half((uint16_t)b.bits));
  uint32_t high = half_of(from_half((uint16_t)(a.bits >> 16)) + from_half((uint16_t)(b.bits >> 16)));
  return {high << 16 | low};
}

constexpr int kMulticastTargetsMax = 128;

template <class T, class Operation, class Register>
__device__ void multimem_load_at(char** targets, int count, size_t at, Register& out) {
  T sum;
  __builtin_memcpy(&sum, targets[0] + at, sizeof(T));
  for (int i = 1; i < count; i++) {
    T other;
    __builtin_memcpy(&other, targets[i] + at, sizeof(T));
    sum = Operation::apply(sum, other);
  }
  give(out, sum);
}
template <class T, class Operation, class... Registers>
__device__ void multimem_load(char* address, Registers&... out) {
  char* targets[kMulticastTargetsMax];
  int count = cuco_multicast_targets(address, targets, kMulticastTargetsMax);
  size_t at = 0;
  ((multimem_load_at<T, Operation>(targets, count, at, out), at += sizeof(T)), ...);
  cuco_multicast_loaded(targets, count, at);
}
template <class T, class Operation>
__device__ __forceinline__ void update_at(T* place, T value) {
  cuda::cuco_detail::report(place, cuda::cuco_detail::atomic_update, cuda::memory_order_relaxed,
                            cuda::thread_scope_system);
  *place = Operation::apply(*place, value);
}
template <class T, class Operation, class... Values>
__device__ void multimem_update(char* address, Values... values) {
  char* targets[kMulticastTargetsMax];
  int count = cuco_multicast_targets(address, targets, kMulticastTargetsMax);
  for (int i = 0; i < count; i++) {
    T* place = (T*)targets[i];
    ((update_at<T, Operation>(place, bits_as<T>(values)), place++), ...);
  }
}
template <class T, class... Values>
__device__ void multimem_store(char* address, Values... values) {
  char* targets[kMulticastTargetsMax];
  int count = cuco_multicast_targets(address, targets, kMulticastTargetsMax);
  for (int i = 0; i < count; i++) store<T>(targets[i], values...);
}

}  // namespace cuco_ptx
