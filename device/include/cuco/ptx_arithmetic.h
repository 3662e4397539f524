// Arithmetic, logic, comparison and conversion instructions of PTX. A function has the instruction's name behind "i_", with
// the modifiers that change its meaning; template arguments are the instruction's types. Operands are registers of any C++
// type of the right size: their bits count.
#pragma once

#include "cuco/ptx.h"

extern "C" {
// The carry flag. Between an instruction that sets it and those that use it no other thread runs.
extern CUCO_ONE_FOR_ALL unsigned cuco_carry_flag;
}

namespace cuco_ptx {

template <class T> struct unsigned_of { using type = T; };
template <> struct unsigned_of<s8> { using type = u8; };
template <> struct unsigned_of<s16> { using type = u16; };
template <> struct unsigned_of<s32> { using type = u32; };
template <> struct unsigned_of<s64> { using type = u64; };
template <class T> using unsigned_t = typename unsigned_of<T>::type;

template <class T> struct wide_of;
template <> struct wide_of<u16> { using type = u32; };
template <> struct wide_of<s16> { using type = s32; };
template <> struct wide_of<u32> { using type = u64; };
template <> struct wide_of<s32> { using type = s64; };
template <> struct wide_of<u64> { using type = unsigned __int128; };
template <> struct wide_of<s64> { using type = __int128; };
template <class T> using wide_t = typename wide_of<T>::type;

template <class T> constexpr bool is_float = __is_same(T, f32) || __is_same(T, f64);
template <class T> constexpr bool is_half = __is_same(T, f16) || __is_same(T, bf16);
template <class T> constexpr bool is_pair = __is_same(T, f16x2) || __is_same(T, bf16x2);
template <class T> struct half_of_pair { using type = f16; };
template <> struct half_of_pair<bf16x2> { using type = bf16; };

template <class T>
__device__ __forceinline__ float decoded(uint16_t bits) {
  return __is_same(T, bf16) ? cuco_float::from_bf16(bits) : cuco_float::from_half(bits);
}
template <class T>
__device__ __forceinline__ uint16_t encoded(float value) {
  return __is_same(T, bf16) ? cuco_float::bf16_of(value) : cuco_float::half_of(value);
}
// Computes in the type; halves compute in float, pairs lane by lane.
template <class T, class Function, class... Values>
__device__ __forceinline__ auto computed(Function function, Values... values) {
  if constexpr (is_pair<T>) {
    using H = typename half_of_pair<T>::type;
    uint32_t low = encoded<H>((float)function(decoded<H>((uint16_t)bits_as<u32>(values))...));
    uint32_t high = encoded<H>((float)function(decoded<H>((uint16_t)(bits_as<u32>(values) >> 16))...));
    return (u32)(high << 16 | low);
  } else if constexpr (is_half<T>) {
    return encoded<T>((float)function(decoded<T>(bits_as<u16>(values))...));
  } else {
    return (T)function(bits_as<T>(values)...);
  }
}
template <class T>
__device__ __forceinline__ auto saturated(T value) { return !(value > 0) ? T(0) : value > 1 ? T(1) : value; }
// Of a sum of integers that was made in a wider type.
template <class T, class Wide>
__device__ __forceinline__ T clamped(Wide value) {
  constexpr T highest = (T)(((unsigned_t<T>)~(unsigned_t<T>)0) >> 1), lowest = (T)(-highest - 1);
  return value > highest ? highest : value < lowest ? lowest : (T)value;
}

template <class T, class A, class B>
__device__ __forceinline__ auto i_add(A a, B b) {
  return computed<T>([](auto x, auto y) { return (unsigned_t<decltype(x)>)x + (unsigned_t<decltype(x)>)y; }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_sub(A a, B b) {
  return computed<T>([](auto x, auto y) { return (unsigned_t<decltype(x)>)x - (unsigned_t<decltype(x)>)y; }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_add_sat(A a, B b) {
  if constexpr (__is_same(T, s32)) return clamped<s32>((s64)bits_as<s32>(a) + bits_as<s32>(b));
  else return computed<T>([](auto x, auto y) { return saturated(x + y); }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_sub_sat(A a, B b) {
  if constexpr (__is_same(T, s32)) return clamped<s32>((s64)bits_as<s32>(a) - bits_as<s32>(b));
  else return computed<T>([](auto x, auto y) { return saturated(x - y); }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_mul(A a, B b) { return computed<T>([](auto x, auto y) { return x * y; }, a, b); }
template <class T, class A, class B>
__device__ __forceinline__ auto i_mul_sat(A a, B b) {
  return computed<T>([](auto x, auto y) { return saturated(x * y); }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_mul_wide(A a, B b) { return (wide_t<T>)((wide_t<T>)bits_as<T>(a) * bits_as<T>(b)); }
template <class T, class A, class B>
__device__ __forceinline__ T i_mul_lo(A a, B b) { return (T)((unsigned_t<T>)bits_as<T>(a) * (u64)(unsigned_t<T>)bits_as<T>(b)); }
template <class T, class A, class B>
__device__ __forceinline__ T i_mul_hi(A a, B b) { return (T)(i_mul_wide<T>(a, b) >> (8 * sizeof(T))); }
template <class T, class A, class B>
__device__ __forceinline__ T i_mul24_lo(A a, B b) {
  if constexpr (__is_same(T, s32)) return (T)((u32)(bits_as<s32>(a) << 8 >> 8) * (u32)(bits_as<s32>(b) << 8 >> 8));
  else return (bits_as<u32>(a) & 0xffffff) * (bits_as<u32>(b) & 0xffffff);
}
template <class T, class A, class B, class C>
__device__ __forceinline__ T i_mad24_lo(A a, B b, C c) { return i_add<T>(i_mul24_lo<T>(a, b), c); }
template <class T, class A, class B, class C>
__device__ __forceinline__ T i_mad_lo(A a, B b, C c) { return i_add<T>(i_mul_lo<T>(a, b), c); }
template <class T, class A, class B, class C>
__device__ __forceinline__ T i_mad_hi(A a, B b, C c) { return i_add<T>(i_mul_hi<T>(a, b), c); }
template <class T, class A, class B, class C>
__device__ __forceinline__ auto i_mad_wide(A a, B b, C c) {
  return (wide_t<T>)((unsigned_t<wide_t<T>>)i_mul_wide<T>(a, b) + (unsigned_t<wide_t<T>>)bits_as<wide_t<T>>(c));
}
template <class T, class A, class B, class C>
__device__ __forceinline__ T i_mad_hi_sat(A a, B b, C c) { return clamped<s32>((s64)i_mul_hi<T>(a, b) + bits_as<s32>(c)); }
template <class T, class A, class B, class C>
__device__ __forceinline__ auto i_fma(A a, B b, C c) {
  if constexpr (__is_same(T, f32)) return __builtin_fmaf(bits_as<f32>(a), bits_as<f32>(b), bits_as<f32>(c));
  else if constexpr (__is_same(T, f64)) return __builtin_fma(bits_as<f64>(a), bits_as<f64>(b), bits_as<f64>(c));
  else return computed<T>([](float x, float y, float z) { return (float)((double)x * y + z); }, a, b, c);
}
template <class T, class A, class B, class C>
__device__ __forceinline__ auto i_mad(A a, B b, C c) { return i_fma<T>(a, b, c); }
template <class T, class A, class B, class C>
__device__ __forceinline__ auto i_fma_sat(A a, B b, C c) { return computed<T>([](auto x) { return saturated(x); }, i_fma<T>(a, b, c)); }
template <class T, class A, class B, class C>
__device__ __forceinline__ auto i_fma_relu(A a, B b, C c) { return computed<T>([](auto x) { return x < 0 ? 0 : x; }, i_fma<T>(a, b, c)); }

// Sums and products of numbers in several registers.
template <class T>
__device__ __forceinline__ T carry_in(T a, T b, unsigned carry, bool sets) {
  using U = unsigned_t<T>;
  U sum = (U)((U)a + (U)b), total = (U)(sum + carry);
  if (sets) cuco_carry_flag = sum < (U)a || total < sum;
  return (T)total;
}
template <class T>
__device__ __forceinline__ T borrow_in(T a, T b, unsigned borrow, bool sets) {
  using U = unsigned_t<T>;
  if (sets) cuco_carry_flag = (U)a < (U)b || ((U)a == (U)b && borrow);
  return (T)((U)a - (U)b - borrow);
}
#define CUCO_PTX_CARRY(NAME, STEP, FLAG, SETS)                           \
  template <class T, class A, class B>                                   \
  __device__ __forceinline__ T NAME(A a, B b) { return STEP<T>(bits_as<T>(a), bits_as<T>(b), FLAG, SETS); }
CUCO_PTX_CARRY(i_add_cc, carry_in, 0, true)
CUCO_PTX_CARRY(i_addc, carry_in, cuco_carry_flag, false)
CUCO_PTX_CARRY(i_addc_cc, carry_in, cuco_carry_flag, true)
CUCO_PTX_CARRY(i_sub_cc, borrow_in, 0, true)
CUCO_PTX_CARRY(i_subc, borrow_in, cuco_carry_flag, false)
CUCO_PTX_CARRY(i_subc_cc, borrow_in, cuco_carry_flag, true)
#undef CUCO_PTX_CARRY
#define CUCO_PTX_CARRY(NAME, PRODUCT, FLAG, SETS)                        \
  template <class T, class A, class B, class C>                          \
  __device__ __forceinline__ T NAME(A a, B b, C c) { return carry_in<T>(PRODUCT<T>(a, b), bits_as<T>(c), FLAG, SETS); }
CUCO_PTX_CARRY(i_mad_lo_cc, i_mul_lo, 0, true)
CUCO_PTX_CARRY(i_mad_hi_cc, i_mul_hi, 0, true)
CUCO_PTX_CARRY(i_madc_lo, i_mul_lo, cuco_carry_flag, false)
CUCO_PTX_CARRY(i_madc_hi, i_mul_hi, cuco_carry_flag, false)
CUCO_PTX_CARRY(i_madc_lo_cc, i_mul_lo, cuco_carry_flag, true)
CUCO_PTX_CARRY(i_madc_hi_cc, i_mul_hi, cuco_carry_flag, true)
#undef CUCO_PTX_CARRY

// A division of integers by zero gives all bits, as the hardware does.
template <class T, class A, class B>
__device__ __forceinline__ T i_div(A a, B b) {
  T x = bits_as<T>(a), y = bits_as<T>(b);
  if constexpr (is_float<T>) return x / y;
  else if constexpr (T(-1) < T(0)) return y == 0 ? T(-1) : y == T(-1) ? (T)(0 - (unsigned_t<T>)x) : (T)(x / y);
  else return y == 0 ? (T)~T(0) : (T)(x / y);
}
template <class T, class A, class B>
__device__ __forceinline__ T i_rem(A a, B b) {
  T x = bits_as<T>(a), y = bits_as<T>(b);
  return y == 0 ? x : y == (T)-1 && T(-1) < T(0) ? T(0) : (T)(x % y);
}
template <class T, class A>
__device__ __forceinline__ auto i_abs(A a) {
  return computed<T>([](auto x) { return x < 0 ? (decltype(x))(0 - (unsigned_t<decltype(x)>)x) : x == 0 ? (decltype(x))0 : x; }, a);
}
template <class T, class A>
__device__ __forceinline__ auto i_neg(A a) {
  if constexpr (is_float<T> || is_half<T> || is_pair<T>) return computed<T>([](auto x) { return -x; }, a);
  else return (T)(0 - (unsigned_t<T>)bits_as<T>(a));
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_min(A a, B b) {
  return computed<T>([](auto x, auto y) { return x != x ? y : y != y ? x : y < x ? y : x; }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_max(A a, B b) {
  return computed<T>([](auto x, auto y) { return x != x ? y : y != y ? x : x < y ? y : x; }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_min_NaN(A a, B b) {
  return computed<T>([](auto x, auto y) { return x != x ? x : y != y ? y : y < x ? y : x; }, a, b);
}
template <class T, class A, class B>
__device__ __forceinline__ auto i_max_NaN(A a, B b) {
  return computed<T>([](auto x, auto y) { return x != x ? x : y != y ? y : x < y ? y : x; }, a, b);
}
template <class T, class A, class B, class C>
__device__ __forceinline__ T i_sad(A a, B b, C c) {
  T x = bits_as<T>(a), y = bits_as<T>(b);
  using U = unsigned_t<T>;
  return (T)((x < y ? (U)y - (U)x : (U)x - (U)y) + (U)bits_as<T>(c));
}
template <class T, class A, class B>
__device__ __forceinline__ T i_copysign(A a, B b) { return (T)__builtin_copysign((double)bits_as<T>(b), (double)bits_as<T>(a)); }

template <class T, class A, class B>
__device__ __forceinline__ T i_and(A a, B b) { return (T)(bits_as<T>(a) & bits_as<T>(b)); }
template <class T, class A, class B>
__device__ __forceinline__ T i_or(A a, B b) { return (T)(bits_as<T>(a) | bits_as<T>(b)); }
template <class T, class A, class B>
__device__ __forceinline__ T i_xor(A a, B b) { return (T)(bits_as<T>(a) ^ bits_as<T>(b)); }
template <class T, class A>
__device__ __forceinline__ T i_not(A a) {
  if constexpr (__is_same(T, pred)) return !a;
  else return (T)~bits_as<T>(a);
}
template <class T, class A>
__device__ __forceinline__ T i_cnot(A a) { return bits_as<T>(a) == 0; }
// Shifts by the width or more leave nothing, or the sign.
template <class T, class A, class B>
__device__ __forceinline__ T i_shl(A a, B b) {
  u32 by = bits_as<u32>(b);
  return by >= 8 * sizeof(T) ? T(0) : (T)((unsigned_t<T>)bits_as<T>(a) << by);
}
template <class T, class A, class B>
__device__ __forceinline__ T i_shr(A a, B b) {
  u32 by = bits_as<u32>(b), last = 8 * sizeof(T) - 1;
  T value = bits_as<T>(a);
  return by <= last ? (T)(value >> by) : T(-1) < T(0) ? (T)(value >> last) : T(0);
}
template <class T, class A, class B, class C>
__device__ __forceinline__ u32 i_shf_l_wrap(A a, B b, C c) { return __funnelshift_l(bits_as<u32>(a), bits_as<u32>(b), bits_as<u32>(c)); }
template <class T, class A, class B, class C>
__device__ __forceinline__ u32 i_shf_r_wrap(A a, B b, C c) { return __funnelshift_r(bits_as<u32>(a), bits_as<u32>(b), bits_as<u32>(c)); }
template <class T, class A, class B, class C>
__device__ __forceinline__ u32 i_shf_l_clamp(A a, B b, C c) { return __funnelshift_lc(bits_as<u32>(a), bits_as<u32>(b), bits_as<u32>(c)); }
template <class T, class A, class B, class C>
__device__ __forceinline__ u32 i_shf_r_clamp(A a, B b, C c) { return __funnelshift_rc(bits_as<u32>(a), bits_as<u32>(b), bits_as<u32>(c)); }
// `count` bits from `at`; signed types spread the field's sign, also over what lies beyond the register.
template <class T, class A, class B, class C>
__device__ __forceinline__ T i_bfe(A a, B b, C c) {
  T value = bits_as<T>(a);
  unsigned at = bits_as<u32>(b) & 0xff, count = bits_as<u32>(c) & 0xff, last = 8 * sizeof(T) - 1;
  unsigned top = at + count - 1 < last ? at + count - 1 : last;
  bool sign = T(-1) < T(0) && count > 0 && (value >> top & 1);
  T result = 0;
  for (unsigned i = 0; i <= last; i++) {
    bool bit = i < count && at + i <= last ? value >> (at + i) & 1 : sign;
    result |= (T)((unsigned_t<T>)bit << i);
  }
  return result;
}
template <class T, class A, class B, class C, class D>
__device__ __forceinline__ T i_bfi(A a, B b, C c, D d) {
  T field = bits_as<T>(a), value = bits_as<T>(b);
  unsigned at = bits_as<u32>(c) & 0xff, count = bits_as<u32>(d) & 0xff;
  for (unsigned i = 0; i < count && at + i < 8 * sizeof(T); i++)
    value = (T)((value & ~((T)1 << (at + i))) | (field >> i & 1) << (at + i));
  return value;
}
template <class T, class A>
__device__ __forceinline__ T i_brev(A a) {
  if constexpr (sizeof(T) == 8) return __builtin_bitreverse64(bits_as<u64>(a));
  else return __builtin_bitreverse32(bits_as<u32>(a));
}
template <class T, class A>
__device__ __forceinline__ u32 i_clz(A a) {
  T value = bits_as<T>(a);
  return value == 0 ? 8 * sizeof(T) : sizeof(T) == 8 ? __builtin_clzll(value) : __builtin_clz((u32)value);
}
template <class T, class A>
__device__ __forceinline__ u32 i_popc(A a) { return __builtin_popcountll((u64)(unsigned_t<T>)bits_as<T>(a)); }
// The highest bit that differs from the sign; all bits when there is none.
template <class T, class A>
__device__ __forceinline__ u32 i_bfind(A a) {
  T value = bits_as<T>(a);
  unsigned_t<T> bits = (unsigned_t<T>)(value < 0 ? ~value : value);
  return bits == 0 ? ~0u : 8 * sizeof(T) - 1 - i_clz<unsigned_t<T>>(bits);
}
template <class T, class A>
__device__ __forceinline__ u32 i_bfind_shiftamt(A a) {
  u32 at = i_bfind<T>(a);
  return at == ~0u ? at : 8 * sizeof(T) - 1 - at;
}
template <class T, class A, class B>
__device__ __forceinline__ u32 i_bmsk_clamp(A a, B b) {
  u32 at = bits_as<u32>(a), count = bits_as<u32>(b);
  if (at >= 32 || count == 0) return 0;
  u64 mask = (count >= 32 ? 0xffffffffull : (1ull << count) - 1) << at;
  return (u32)mask;
}
template <class T, class A, class B, class C>
__device__ __forceinline__ u32 i_prmt(A a, B b, C c) { return __byte_perm(bits_as<u32>(a), bits_as<u32>(b), bits_as<u32>(c) & 0xffff); }
template <class T, class A, class B, class C>
__device__ __forceinline__ u32 i_lop3(A a_, B b_, C c_, int table) {
  u32 a = bits_as<u32>(a_), b = bits_as<u32>(b_), c = bits_as<u32>(c_), result = 0;
  for (int i = 0; i < 8; i++)
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}
template <class T, class A, class B, class C>
__device__ __forceinline__ u32 i_fns(A mask, B base, C n) { return __fns(bits_as<u32>(mask), bits_as<u32>(base), bits_as<s32>(n)); }
template <class TA, class TB, class A, class B, class C>
__device__ __forceinline__ u32 i_dp4a(A a, B b, C c) {
  u32 sum = bits_as<u32>(c);
  for (int i = 0; i < 32; i += 8) {
    int x = TA(-1) < TA(0) ? (int)(s8)(bits_as<u32>(a) >> i) : (int)(u8)(bits_as<u32>(a) >> i);
    int y = TB(-1) < TB(0) ? (int)(s8)(bits_as<u32>(b) >> i) : (int)(u8)(bits_as<u32>(b) >> i);
    sum += (u32)(x * y);
  }
  return sum;
}

#define CUCO_PTX_FUNCTION(NAME, EXPRESSION)                                  \
  template <class T, class A>                                                \
  __device__ __forceinline__ auto i_##NAME(A a) {                            \
    return computed<T>([](auto x) { return EXPRESSION; }, a);                \
  }
CUCO_PTX_FUNCTION(ex2, exp2(x))
CUCO_PTX_FUNCTION(lg2, log2(x))
CUCO_PTX_FUNCTION(sin, sin(x))
CUCO_PTX_FUNCTION(cos, cos(x))
CUCO_PTX_FUNCTION(tanh, tanh(x))
CUCO_PTX_FUNCTION(sqrt, sqrt(x))
CUCO_PTX_FUNCTION(rcp, 1 / x)
CUCO_PTX_FUNCTION(rsqrt, 1 / sqrt(x))
#undef CUCO_PTX_FUNCTION

// Comparisons. A NaN makes the ordered ones false and those whose name ends in u true; lo, ls, hi and hs compare as
// unsigned.
struct c_eq { template <class T> static __device__ bool holds(T a, T b) { return a == b; } };
struct c_ne { template <class T> static __device__ bool holds(T a, T b) { return (a < b || a > b) || (a != b && a == a && b == b); } };
struct c_lt { template <class T> static __device__ bool holds(T a, T b) { return a < b; } };
struct c_le { template <class T> static __device__ bool holds(T a, T b) { return a <= b; } };
struct c_gt { template <class T> static __device__ bool holds(T a, T b) { return a > b; } };
struct c_ge { template <class T> static __device__ bool holds(T a, T b) { return a >= b; } };
using c_lo = c_lt;
using c_ls = c_le;
using c_hi = c_gt;
using c_hs = c_ge;
template <class Ordered>
struct unordered { template <class T> static __device__ bool holds(T a, T b) { return a != a || b != b || Ordered::holds(a, b); } };
using c_equ = unordered<c_eq>;
using c_neu = unordered<c_ne>;
using c_ltu = unordered<c_lt>;
using c_leu = unordered<c_le>;
using c_gtu = unordered<c_gt>;
using c_geu = unordered<c_ge>;
struct c_num { template <class T> static __device__ bool holds(T a, T b) { return a == a && b == b; } };
struct c_nan { template <class T> static __device__ bool holds(T a, T b) { return a != a || b != b; } };
template <class Comparison, class T, class A, class B>
__device__ __forceinline__ bool i_setp(A a, B b) {
  if constexpr (is_half<T>) return Comparison::holds(decoded<T>(bits_as<u16>(a)), decoded<T>(bits_as<u16>(b)));
  else return Comparison::holds(bits_as<T>(a), bits_as<T>(b));
}
template <class To>
__device__ __forceinline__ auto truth(bool holds) {
  if constexpr (is_float<To>) return holds ? To(1) : To(0);
  else return holds ? (To)~To(0) : To(0);
}
template <class T, class A, class B, class P>
__device__ __forceinline__ T i_selp(A a, B b, P choice) { return choice ? bits_as<T>(a) : bits_as<T>(b); }
template <class T, class By, class A, class B, class C>
__device__ __forceinline__ T i_slct(A a, B b, C choice) { return bits_as<By>(choice) >= 0 ? bits_as<T>(a) : bits_as<T>(b); }

// Conversions. Rounding: n(earest), z(ero), m(inus), p(lus), a(way); of integers from floats as of floats.
enum class Rounds { n, z, m, p, a };
template <Rounds How>
__device__ __forceinline__ double whole(double value) {
  switch (How) {
    case Rounds::n: return __builtin_rint(value);
    case Rounds::z: return __builtin_trunc(value);
    case Rounds::m: return __builtin_floor(value);
    case Rounds::p: return __builtin_ceil(value);
    default: return __builtin_round(value);
  }
}
template <class From, class Value>
__device__ __forceinline__ auto number_of(Value value) {
  if constexpr (is_half<From>) return decoded<From>(bits_as<u16>(value));
  else if constexpr (__is_same(From, tf32)) return cuco_float::float_of(bits_as<u32>(value));
  else if constexpr (sizeof(From) < sizeof(Value)) return (From)(unsigned_t<From>)(u64)bits_as<u64>(value);
  else return bits_as<From>(value);
}
template <class To>
__device__ __forceinline__ To integer_of(double value) {
  if (value != value) return To(0);
  constexpr To lowest = To(-1) < To(0) ? To(To(1) << (8 * sizeof(To) - 1)) : To(0);
  if (value <= (double)lowest) return lowest;
  if (value >= (double)(To)~lowest) return (To)~lowest;
  return (To)value;
}
template <class To, class From>
__device__ __forceinline__ To clamped_integer(From value) {
  constexpr To lowest = To(-1) < To(0) ? To(To(1) << (8 * sizeof(To) - 1)) : To(0), highest = (To)~lowest;
  __int128 wide = value;
  return wide < (__int128)lowest ? lowest : wide > (__int128)highest ? highest : (To)value;
}
template <class To, class From, Rounds How, bool Whole, bool Saturates, class Value>
__device__ __forceinline__ auto i_cvt(Value value) {
  auto from = number_of<From>(value);
  using Number = decltype(from);
  constexpr cuco_float::rounding mode = How == Rounds::z ? cuco_float::to_zero : How == Rounds::m ? cuco_float::down
                                        : How == Rounds::p ? cuco_float::up : cuco_float::nearest;
  if constexpr (__is_same(To, tf32)) {
    return (u32)((cuco_float::bits_of((float)from) + 0x1000u) & ~0x1fffu);
  } else if constexpr (is_half<To>) {
    using Format = typename select<__is_same(To, bf16), cuco_float::bf16_format, cuco_float::half_format>::type;
    if constexpr (Saturates) from = (Number)saturated((double)from);
    return cuco_float::rounded<Format>(from, mode);
  } else if constexpr (is_float<To>) {
    if constexpr (Whole) from = (Number)whole<How>((double)from);
    To result;
    if constexpr (How == Rounds::z) result = cuco_round::converted<cuco_round::zero, To>(from);
    else if constexpr (How == Rounds::m) result = cuco_round::converted<cuco_round::down, To>(from);
    else if constexpr (How == Rounds::p) result = cuco_round::converted<cuco_round::up, To>(from);
    else result = (To)from;
    return Saturates ? saturated(result) : result;
  } else if constexpr (is_float<Number>) {
    return integer_of<To>(whole<How>((double)from));
  } else if constexpr (Saturates) {
    return clamped_integer<To>(from);
  } else {
    return (To)from;
  }
}
// Two values into the halves of a register; the first goes to the upper one.
template <class To, class From, bool Relu, class High, class Low>
__device__ __forceinline__ auto i_cvt_pair(High high, Low low) {
  float a = (float)number_of<From>(high), b = (float)number_of<From>(low);
  if (Relu) a = a < 0 ? 0 : a, b = b < 0 ? 0 : b;
  if constexpr (__is_same(To, e4m3x2) || __is_same(To, e5m2x2)) {
    auto format = __is_same(To, e4m3x2) ? cuco_float::e4m3 : cuco_float::e5m2;
    return (u16)(cuco_float::fp8_of(a, format) << 8 | cuco_float::fp8_of(b, format));
  } else {
    using H = typename half_of_pair<To>::type;
    return (u32)((u32)encoded<H>(a) << 16 | encoded<H>(b));
  }
}

// A register of several: mov.b64 %0, {%1, %2} and its inverse.
template <class To, class First, class... Rest>
__device__ __forceinline__ void pack(To& to, First first, Rest... rest) {
  char bytes[sizeof(First) * (1 + sizeof...(Rest))];
  size_t at = 0;
  __builtin_memcpy(bytes, &first, sizeof first);
  ((at += sizeof(First), __builtin_memcpy(bytes + at, &rest, sizeof(First))), ...);
  __builtin_memcpy(&to, bytes, sizeof(To) < sizeof bytes ? sizeof(To) : sizeof bytes);
}
template <class From, class... To>
__device__ __forceinline__ void unpack(From from, To&... to) {
  constexpr size_t each = sizeof(From) / sizeof...(To);
  size_t at = 0;
  ((__builtin_memset(&to, 0, sizeof(To)), __builtin_memcpy(&to, (char*)&from + at, each < sizeof(To) ? each : sizeof(To)), at += each), ...);
}

// Operations of a warp.
template <class T, class Value>
__device__ __forceinline__ T shuffled(const char* mode, Value value_, unsigned by, unsigned clamp, unsigned mask, bool& valid) {
  T value = bits_as<T>(value_);
  unsigned lane = cuco_lane(), segment = clamp >> 8 & 31, limit = clamp & 31;
  unsigned first = lane & segment, last = first | (limit & ~segment);
  int source = mode[0] == 'u' ? (int)lane - (int)by : mode[0] == 'd' ? (int)(lane + by)
               : mode[0] == 'b' ? (int)(lane ^ by) : (int)(first | (by & ~segment));
  valid = mode[0] == 'u' ? source >= (int)last : source <= (int)last;
  if (!valid) source = (int)lane;
  return cuco_shuffle(mask, value, (unsigned)source & 31u, true);
}

}  // namespace cuco_ptx
