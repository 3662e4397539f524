// Arithmetic intrinsics of CUDA device code, in portable C++: conversions, bit operations, fast math, min and max.
// Fast-math names are macros because glibc declares some of them (__expf) as functions of its own.
#pragma once

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cuco/attributes.h"

#ifdef CUCO_CUDA_SOURCE
#define CUCO_DEVICE static __device__ __forceinline__
#define CUCO_BOTH static __host__ __device__ __forceinline__

template <class To, class From>
CUCO_BOTH To cuco_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

#define CUCO_MINMAX(T)                                     \
  CUCO_BOTH constexpr T min(T a, T b) { return b < a ? b : a; } \
  CUCO_BOTH constexpr T max(T a, T b) { return a < b ? b : a; }
CUCO_MINMAX(int)
CUCO_MINMAX(unsigned int)
CUCO_MINMAX(long)
CUCO_MINMAX(unsigned long)
CUCO_MINMAX(long long)
CUCO_MINMAX(unsigned long long)
#undef CUCO_MINMAX

#define CUCO_MIXED(A, B, T)                                     \
  CUCO_BOTH constexpr T min(A a, B b) { return min((T)a, (T)b); } \
  CUCO_BOTH constexpr T max(A a, B b) { return max((T)a, (T)b); }
CUCO_MIXED(int, unsigned int, unsigned int)
CUCO_MIXED(unsigned int, int, unsigned int)
CUCO_MIXED(long, unsigned long, unsigned long)
CUCO_MIXED(unsigned long, long, unsigned long)
CUCO_MIXED(long long, unsigned long long, unsigned long long)
CUCO_MIXED(unsigned long long, long long, unsigned long long)
#undef CUCO_MIXED

// A NaN operand loses, as IEEE maximumNumber and the hardware have it.
CUCO_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
CUCO_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
CUCO_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
CUCO_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
CUCO_BOTH double min(float a, double b) { return __builtin_fmin(a, b); }
CUCO_BOTH double max(float a, double b) { return __builtin_fmax(a, b); }
CUCO_BOTH double min(double a, float b) { return __builtin_fmin(a, b); }
CUCO_BOTH double max(double a, float b) { return __builtin_fmax(a, b); }
CUCO_BOTH unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
CUCO_BOTH unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }

CUCO_BOTH float rsqrtf(float x) { return 1.0f / sqrtf(x); }
CUCO_BOTH double rsqrt(double x) { return 1.0 / sqrt(x); }
CUCO_BOTH float rcbrtf(float x) { return 1.0f / cbrtf(x); }
CUCO_BOTH float sinpif(float x) { return (float)sin(x * 3.14159265358979323846); }
CUCO_BOTH float cospif(float x) { return (float)cos(x * 3.14159265358979323846); }
CUCO_BOTH double sinpi(double x) { return sin(x * 3.14159265358979323846); }
CUCO_BOTH double cospi(double x) { return cos(x * 3.14159265358979323846); }
CUCO_BOTH void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
CUCO_BOTH float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
CUCO_BOTH double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
CUCO_BOTH float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
CUCO_BOTH float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
CUCO_BOTH float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
CUCO_BOTH float norm4df(float a, float b, float c, float d) { return sqrtf(a * a + b * b + c * c + d * d); }
CUCO_BOTH float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
CUCO_BOTH double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
CUCO_BOTH double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
CUCO_BOTH double norm4d(double a, double b, double c, double d) { return sqrt(a * a + b * b + c * c + d * d); }
CUCO_BOTH double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
CUCO_BOTH double norm(int dim, const double* p) {
  double sum = 0;
  for (int i = 0; i < dim; i++) sum += p[i] * p[i];
  return sqrt(sum);
}
CUCO_BOTH double rnorm(int dim, const double* p) { return 1.0 / norm(dim, p); }
CUCO_BOTH float normf(int dim, const float* p) {
  double sum = 0;
  for (int i = 0; i < dim; i++) sum += (double)p[i] * p[i];
  return (float)sqrt(sum);
}
CUCO_BOTH float rnormf(int dim, const float* p) { return 1.0f / normf(dim, p); }
CUCO_BOTH double rcbrt(double x) { return 1.0 / cbrt(x); }
CUCO_BOTH double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
CUCO_BOTH void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
CUCO_BOTH double fdivide(double a, double b) { return a / b; }
CUCO_BOTH double erfcx(double x) {
  if (x < 25) return exp(x * x) * erfc(x);
  double q = 1.0 / (x * x);  // Further out, the asymptotic series.
  return 0.56418958354775628695 / x * (1 - q * (0.5 - q * (0.75 - q * 1.875)));
}
CUCO_BOTH float erfcxf(float x) { return (float)erfcx((double)x); }
// By Newton's method from a rational start (Giles, 2010, gives one of this form): two steps reach double.
CUCO_BOTH double erfinv(double y) {
  if (!(y > -1 && y < 1)) return y == 1 ? HUGE_VAL : y == -1 ? -HUGE_VAL : NAN;
  double w = log((1 - y) * (1 + y)), t = 4.33074675 + w / 2;
  double x = copysign(sqrt(sqrt(t * t - w / 0.147) - t), y);
  for (int i = 0; i < 4; i++) x -= (y > 0 ? (1 - y) - erfc(x) : erfc(-x) - (1 + y)) / (1.12837916709551257390 * exp(-x * x));
  return x;
}
// In the tail the logarithm of erfc is nearly a parabola, where Newton's method is at home.
CUCO_BOTH double erfcinv(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? HUGE_VAL : y == 2 ? -HUGE_VAL : NAN;
  if (y > 1) return -erfcinv(2 - y);
  if (y > 1e-3) return erfinv(1 - y);
  double x = sqrt(-log(y));
  for (int i = 0; i < 8; i++) x += (log(erfc(x)) - log(y)) * erfc(x) / (1.12837916709551257390 * exp(-x * x));
  return x;
}
CUCO_BOTH float erfinvf(float y) { return (float)erfinv((double)y); }
CUCO_BOTH float erfcinvf(float y) { return (float)erfcinv((double)y); }
CUCO_BOTH double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2 * p); }
CUCO_BOTH float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
// The series of the modified Bessel functions.
CUCO_BOTH double cyl_bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 500 && term > 1e-17 * sum; k++) sum += term *= x * x / (4.0 * k * k);
  return sum;
}
CUCO_BOTH double cyl_bessel_i1(double x) {
  double term = x / 2, sum = term;
  for (int k = 1; k < 500 && fabs(term) > 1e-17 * fabs(sum); k++) sum += term *= x * x / (4.0 * k * (k + 1));
  return sum;
}
CUCO_BOTH float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
CUCO_BOTH float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }
CUCO_BOTH long long llmin(long long a, long long b) { return min(a, b); }
CUCO_BOTH long long llmax(long long a, long long b) { return max(a, b); }
CUCO_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
CUCO_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
CUCO_BOTH float cuco_exp10f(float x) { return powf(10.0f, x); }
CUCO_BOTH float cuco_fdividef(float x, float y) { return x / y; }
CUCO_BOTH float cuco_saturatef(float x) { return !(x > 0.0f) ? 0.0f : x > 1.0f ? 1.0f : x; }
CUCO_BOTH void cuco_sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }

#define __expf(x) expf(x)
#define __exp10f(x) cuco_exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) cuco_sincosf(x, s, c)
#define __tanhf(x) tanhf(x)
#define __fdividef(x, y) cuco_fdividef(x, y)
#define __saturatef(x) cuco_saturatef(x)
#define fdividef(x, y) cuco_fdividef(x, y)

#define CUCO_ROUNDED(T, P, fma_)                        \
  CUCO_DEVICE T __##P##add_rn(T a, T b) { return a + b; } \
  CUCO_DEVICE T __##P##sub_rn(T a, T b) { return a - b; } \
  CUCO_DEVICE T __##P##mul_rn(T a, T b) { return a * b; } \
  CUCO_DEVICE T __##P##div_rn(T a, T b) { return a / b; } \
  CUCO_DEVICE T __##P##rcp_rn(T a) { return T(1) / a; }
CUCO_ROUNDED(float, f, fmaf)
CUCO_ROUNDED(double, d, fma)
#undef CUCO_ROUNDED
CUCO_DEVICE float __fsqrt_rn(float a) { return sqrtf(a); }
CUCO_DEVICE double __dsqrt_rn(double a) { return sqrt(a); }
CUCO_DEVICE float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
CUCO_DEVICE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CUCO_DEVICE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

// Float to integer saturates and maps NaN to zero, where C++ leaves it undefined.
template <class Int, class Float>
CUCO_BOTH Int cuco_to_int(Float rounded) {
  constexpr Int lowest = Int(-1) < Int(0) ? Int(Int(1) << (sizeof(Int) * 8 - 1)) : Int(0);
  if (rounded != rounded) return Int(0);
  if (rounded <= Float(lowest)) return lowest;
  if (rounded >= Float(Int(~lowest))) return Int(~lowest);
  return Int(rounded);
}
#define CUCO_TO_INT(F, f, sfx, I, i)                                                        \
  CUCO_DEVICE I __##f##2##i##_rn(F x) { return cuco_to_int<I>(__builtin_rint##sfx(x)); }     \
  CUCO_DEVICE I __##f##2##i##_rz(F x) { return cuco_to_int<I>(__builtin_trunc##sfx(x)); }    \
  CUCO_DEVICE I __##f##2##i##_rd(F x) { return cuco_to_int<I>(__builtin_floor##sfx(x)); }    \
  CUCO_DEVICE I __##f##2##i##_ru(F x) { return cuco_to_int<I>(__builtin_ceil##sfx(x)); }
CUCO_TO_INT(float, float, f, int, int)
CUCO_TO_INT(float, float, f, unsigned int, uint)
CUCO_TO_INT(float, float, f, long long, ll)
CUCO_TO_INT(float, float, f, unsigned long long, ull)
CUCO_TO_INT(double, double, , int, int)
CUCO_TO_INT(double, double, , unsigned int, uint)
CUCO_TO_INT(double, double, , long long, ll)
CUCO_TO_INT(double, double, , unsigned long long, ull)
#undef CUCO_TO_INT
CUCO_DEVICE float __int2float_rn(int x) { return (float)x; }
CUCO_DEVICE float __uint2float_rn(unsigned int x) { return (float)x; }
CUCO_DEVICE float __ll2float_rn(long long x) { return (float)x; }
CUCO_DEVICE float __ull2float_rn(unsigned long long x) { return (float)x; }
CUCO_DEVICE double __int2double_rn(int x) { return (double)x; }
CUCO_DEVICE double __uint2double_rn(unsigned int x) { return (double)x; }
CUCO_DEVICE double __ll2double_rn(long long x) { return (double)x; }
CUCO_DEVICE double __ull2double_rn(unsigned long long x) { return (double)x; }
CUCO_DEVICE float __double2float_rn(double x) { return (float)x; }

CUCO_DEVICE int __float_as_int(float x) { return cuco_bits<int>(x); }
CUCO_DEVICE unsigned int __float_as_uint(float x) { return cuco_bits<unsigned int>(x); }
CUCO_DEVICE float __int_as_float(int x) { return cuco_bits<float>(x); }
CUCO_DEVICE float __uint_as_float(unsigned int x) { return cuco_bits<float>(x); }
CUCO_DEVICE long long __double_as_longlong(double x) { return cuco_bits<long long>(x); }
CUCO_DEVICE double __longlong_as_double(long long x) { return cuco_bits<double>(x); }
CUCO_DEVICE int __double2hiint(double x) { return (int)(cuco_bits<uint64_t>(x) >> 32); }
CUCO_DEVICE int __double2loint(double x) { return (int)cuco_bits<uint64_t>(x); }
CUCO_DEVICE double __hiloint2double(int hi, int lo) {
  return cuco_bits<double>((uint64_t)(unsigned)hi << 32 | (unsigned)lo);
}

CUCO_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
CUCO_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
CUCO_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
CUCO_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
CUCO_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
CUCO_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
CUCO_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
CUCO_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
CUCO_DEVICE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
CUCO_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
CUCO_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
CUCO_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) { return (unsigned)((uint64_t)a * b >> 32); }
CUCO_DEVICE long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
CUCO_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
CUCO_DEVICE unsigned int __sad(int a, int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
CUCO_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a > b ? a - b : b - a) + c; }
CUCO_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
CUCO_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned)(((uint64_t)a + b) >> 1); }
CUCO_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned)(((uint64_t)hi << 32 | lo) << (shift & 31) >> 32);
}
CUCO_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned)(((uint64_t)hi << 32 | lo) >> (shift & 31));
}
CUCO_DEVICE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
CUCO_DEVICE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}
CUCO_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
CUCO_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) { return (unsigned)(((uint64_t)a + b + 1) >> 1); }
CUCO_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  uint64_t bytes = (uint64_t)b << 32 | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; i++) {
    unsigned int pick = selector >> (4 * i) & 0xf;
    unsigned int byte = (unsigned)(bytes >> (8 * (pick & 7))) & 0xff;
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
CUCO_DEVICE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (int)(int8_t)(a >> i) * (int)(int8_t)(b >> i);
  return c;
}
CUCO_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}
CUCO_DEVICE int __dp2a_lo(int a, int b, int c) {
  for (int i = 0; i < 2; i++) c += (int)(int16_t)(a >> 16 * i) * (int)(int8_t)(b >> 8 * i);
  return c;
}
CUCO_DEVICE int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
CUCO_DEVICE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 2; i++) c += (a >> 16 * i & 0xffff) * (b >> 8 * i & 0xff);
  return c;
}
CUCO_DEVICE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) { return __dp2a_lo(a, b >> 16, c); }
// Position of the n-th set bit counted from `base` (n > 0 upward, n < 0 downward, n == 0 tests `base`), or -1.
CUCO_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int n) {
  if (n == 0) return mask >> base & 1 ? base : ~0u;
  int step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
  for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0) return (unsigned)bit;
  return ~0u;
}

#include "cuco/device_rounding.h"
#include "cuco/device_simd.h"
#endif
