// Arithmetic with a direction of rounding. The nearest result and the sign of what it lacks give the directed one: the
// error of a sum, a product, a quotient and a root is found exactly by fused multiply-add.
#pragma once

#include <math.h>
#include <stdint.h>

#include "cuco/attributes.h"

#ifdef CUCO_CUDA_SOURCE
namespace cuco_round {

struct up { static constexpr int direction = 1; };
struct down { static constexpr int direction = -1; };
struct zero { static constexpr int direction = 0; };

__host__ __device__ inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__host__ __device__ inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
__host__ __device__ inline float next(float a, float to) { return __builtin_nextafterf(a, to); }
__host__ __device__ inline double next(double a, double to) { return __builtin_nextafter(a, to); }

// `missing`: exact result less `result`, by its sign.
template <class Mode, class T, class Error>
__host__ __device__ T directed(T result, Error missing) {
  const T infinity = (T)__builtin_inf();
  if (result != result || missing == 0 || missing != missing) return result;
  int direction = Mode::direction ? Mode::direction : result > 0 ? -1 : result < 0 ? 1 : 0;
  if (__builtin_isinf(result)) return result;
  if (direction < 0 && missing < 0) return next(result, -infinity);
  if (direction > 0 && missing > 0) return next(result, infinity);
  return result;
}
template <class Mode, class T>
__host__ __device__ T add(T a, T b) {
  T sum = a + b, of_b = sum - a;
  return directed<Mode>(sum, (a - (sum - of_b)) + (b - of_b));
}
template <class Mode, class T>
__host__ __device__ T multiply(T a, T b) { return directed<Mode>(a * b, fused(a, b, -(a * b))); }
template <class Mode, class T>
__host__ __device__ T divide(T a, T b) {
  T quotient = a / b, rest = -fused(quotient, b, -a);
  return directed<Mode>(quotient, b < 0 ? -rest : rest);
}
template <class Mode, class T>
__host__ __device__ T root(T a) {
  T result = (T)__builtin_sqrt((double)a);
  if (!(a > 0)) return result;
  return directed<Mode>(result, -fused(result, result, -a));
}
// Of floats exactly; of doubles the sum's error alone decides.
template <class Mode, class T>
__host__ __device__ T fused_in(T a, T b, T c) {
  T result = fused(a, b, c);
  long double product = (long double)a * (long double)b;
  return directed<Mode>(result, product + (long double)c - (long double)result);
}
template <class Mode, class To, class From>
__host__ __device__ To converted(From from) {
  To result = (To)from;
  return directed<Mode>(result, (long double)from - (long double)result);
}

}  // namespace cuco_round

#define CUCO_DIRECTED(R, MODE)                                                                                   \
  CUCO_DEVICE float __fadd_##R(float a, float b) { return cuco_round::add<cuco_round::MODE>(a, b); }             \
  CUCO_DEVICE float __fsub_##R(float a, float b) { return cuco_round::add<cuco_round::MODE>(a, -b); }            \
  CUCO_DEVICE float __fmul_##R(float a, float b) { return cuco_round::multiply<cuco_round::MODE>(a, b); }        \
  CUCO_DEVICE float __fdiv_##R(float a, float b) { return cuco_round::divide<cuco_round::MODE>(a, b); }          \
  CUCO_DEVICE float __frcp_##R(float a) { return cuco_round::divide<cuco_round::MODE>(1.0f, a); }                \
  CUCO_DEVICE float __fsqrt_##R(float a) { return cuco_round::root<cuco_round::MODE>(a); }                       \
  CUCO_DEVICE float __fmaf_##R(float a, float b, float c) { return cuco_round::fused_in<cuco_round::MODE>(a, b, c); } \
  CUCO_DEVICE float __fmaf_ieee_##R(float a, float b, float c) { return __fmaf_##R(a, b, c); }                   \
  CUCO_DEVICE double __dadd_##R(double a, double b) { return cuco_round::add<cuco_round::MODE>(a, b); }          \
  CUCO_DEVICE double __dsub_##R(double a, double b) { return cuco_round::add<cuco_round::MODE>(a, -b); }         \
  CUCO_DEVICE double __dmul_##R(double a, double b) { return cuco_round::multiply<cuco_round::MODE>(a, b); }     \
  CUCO_DEVICE double __ddiv_##R(double a, double b) { return cuco_round::divide<cuco_round::MODE>(a, b); }       \
  CUCO_DEVICE double __drcp_##R(double a) { return cuco_round::divide<cuco_round::MODE>(1.0, a); }               \
  CUCO_DEVICE double __dsqrt_##R(double a) { return cuco_round::root<cuco_round::MODE>(a); }                     \
  CUCO_DEVICE double __fma_##R(double a, double b, double c) { return cuco_round::fused_in<cuco_round::MODE>(a, b, c); } \
  CUCO_DEVICE float __double2float_##R(double a) { return cuco_round::converted<cuco_round::MODE, float>(a); }   \
  CUCO_DEVICE float __int2float_##R(int a) { return cuco_round::converted<cuco_round::MODE, float>(a); }         \
  CUCO_DEVICE float __uint2float_##R(unsigned a) { return cuco_round::converted<cuco_round::MODE, float>(a); }   \
  CUCO_DEVICE float __ll2float_##R(long long a) { return cuco_round::converted<cuco_round::MODE, float>(a); }    \
  CUCO_DEVICE float __ull2float_##R(unsigned long long a) { return cuco_round::converted<cuco_round::MODE, float>(a); } \
  CUCO_DEVICE double __ll2double_##R(long long a) { return cuco_round::converted<cuco_round::MODE, double>(a); } \
  CUCO_DEVICE double __ull2double_##R(unsigned long long a) { return cuco_round::converted<cuco_round::MODE, double>(a); }
CUCO_DIRECTED(ru, up)
CUCO_DIRECTED(rd, down)
CUCO_DIRECTED(rz, zero)
#undef CUCO_DIRECTED
#endif
