// The operators and intrinsics that half and bfloat16 have in common, for one value (H) and for pairs (H2). Each operation
// computes in float and rounds once; fused multiply-add computes in double. The host may call all but the atomics.
#pragma once

#include <math.h>

#define CUCO_FLOAT16_EACH(H, H2, NAME, EACH) \
  CUCO_BOTH H2 NAME(H2 a, H2 b) { return {EACH(a.x, b.x), EACH(a.y, b.y)}; }

// Comparisons of pairs: as 1 and 0, as one truth for both, as masks; and the same of unordered operands.
#define CUCO_FLOAT16_COMPARE(H, H2, NAME, OP)                                                                      \
  CUCO_BOTH bool __h##NAME(H a, H b) { return (float)a OP (float)b; }                                              \
  CUCO_BOTH bool __h##NAME##u(H a, H b) { return __hisnan(a) || __hisnan(b) || (float)a OP (float)b; }             \
  CUCO_BOTH H2 __h##NAME##2(H2 a, H2 b) { return {H((float)__h##NAME(a.x, b.x)), H((float)__h##NAME(a.y, b.y))}; } \
  CUCO_BOTH H2 __h##NAME##u2(H2 a, H2 b) {                                                                         \
    return {H((float)__h##NAME##u(a.x, b.x)), H((float)__h##NAME##u(a.y, b.y))};                                   \
  }                                                                                                                \
  CUCO_BOTH bool __hb##NAME##2(H2 a, H2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }                  \
  CUCO_BOTH bool __hb##NAME##u2(H2 a, H2 b) { return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y); }           \
  CUCO_BOTH unsigned __h##NAME##2_mask(H2 a, H2 b) {                                                               \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);                        \
  }                                                                                                                \
  CUCO_BOTH unsigned __h##NAME##u2_mask(H2 a, H2 b) {                                                              \
    return (__h##NAME##u(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME##u(a.y, b.y) ? 0xffff0000u : 0u);                  \
  }

#define CUCO_FLOAT16_FUNCTION(H, H2, NAME, EXPRESSION)             \
  CUCO_BOTH H h##NAME(H h) {                                       \
    float a = (float)h;                                            \
    return H((float)(EXPRESSION));                                 \
  }                                                                \
  CUCO_BOTH H2 h2##NAME(H2 h) { return {h##NAME(h.x), h##NAME(h.y)}; }

#define CUCO_FLOAT16_OPERATORS(H)                                                                          \
  CUCO_BOTH H operator+(const H& a, const H& b) { return H((float)a + (float)b); }                         \
  CUCO_BOTH H operator-(const H& a, const H& b) { return H((float)a - (float)b); }                         \
  CUCO_BOTH H operator*(const H& a, const H& b) { return H((float)a * (float)b); }                         \
  CUCO_BOTH H operator/(const H& a, const H& b) { return H((float)a / (float)b); }                         \
  CUCO_BOTH H operator-(const H& a) { return H(-(float)a); }                                               \
  CUCO_BOTH H operator+(const H& a) { return a; }                                                          \
  CUCO_BOTH H& operator+=(H& a, const H& b) { return a = a + b; }                                          \
  CUCO_BOTH H& operator-=(H& a, const H& b) { return a = a - b; }                                          \
  CUCO_BOTH H& operator*=(H& a, const H& b) { return a = a * b; }                                          \
  CUCO_BOTH H& operator/=(H& a, const H& b) { return a = a / b; }                                          \
  CUCO_BOTH H& operator++(H& a) { return a = a + H(1.0f); }                                                \
  CUCO_BOTH H& operator--(H& a) { return a = a - H(1.0f); }                                                \
  CUCO_BOTH H operator++(H& a, int) { H old = a; a = a + H(1.0f); return old; }                            \
  CUCO_BOTH H operator--(H& a, int) { H old = a; a = a - H(1.0f); return old; }                            \
  CUCO_BOTH bool operator==(const H& a, const H& b) { return (float)a == (float)b; }                       \
  CUCO_BOTH bool operator!=(const H& a, const H& b) { return (float)a != (float)b; }                       \
  CUCO_BOTH bool operator<(const H& a, const H& b) { return (float)a < (float)b; }                         \
  CUCO_BOTH bool operator<=(const H& a, const H& b) { return (float)a <= (float)b; }                       \
  CUCO_BOTH bool operator>(const H& a, const H& b) { return (float)a > (float)b; }                         \
  CUCO_BOTH bool operator>=(const H& a, const H& b) { return (float)a >= (float)b; }

#define CUCO_FLOAT16_PAIR_OPERATORS(H, H2)                                                                 \
  CUCO_BOTH H2 operator+(const H2& a, const H2& b) { return {a.x + b.x, a.y + b.y}; }                      \
  CUCO_BOTH H2 operator-(const H2& a, const H2& b) { return {a.x - b.x, a.y - b.y}; }                      \
  CUCO_BOTH H2 operator*(const H2& a, const H2& b) { return {a.x * b.x, a.y * b.y}; }                      \
  CUCO_BOTH H2 operator/(const H2& a, const H2& b) { return {a.x / b.x, a.y / b.y}; }                      \
  CUCO_BOTH H2 operator-(const H2& a) { return {-a.x, -a.y}; }                                             \
  CUCO_BOTH H2 operator+(const H2& a) { return a; }                                                        \
  CUCO_BOTH H2& operator+=(H2& a, const H2& b) { return a = a + b; }                                       \
  CUCO_BOTH H2& operator-=(H2& a, const H2& b) { return a = a - b; }                                       \
  CUCO_BOTH H2& operator*=(H2& a, const H2& b) { return a = a * b; }                                       \
  CUCO_BOTH H2& operator/=(H2& a, const H2& b) { return a = a / b; }                                       \
  CUCO_BOTH bool operator==(const H2& a, const H2& b) { return __hbeq2(a, b); }                            \
  CUCO_BOTH bool operator!=(const H2& a, const H2& b) { return __hbneu2(a, b); }                           \
  CUCO_BOTH bool operator<(const H2& a, const H2& b) { return __hblt2(a, b); }                             \
  CUCO_BOTH bool operator<=(const H2& a, const H2& b) { return __hble2(a, b); }                            \
  CUCO_BOTH bool operator>(const H2& a, const H2& b) { return __hbgt2(a, b); }                             \
  CUCO_BOTH bool operator>=(const H2& a, const H2& b) { return __hbge2(a, b); }

#define CUCO_FLOAT16(H, H2)                                                                                \
  CUCO_BOTH bool __hisnan(H a) { return (float)a != (float)a; }                                            \
  CUCO_BOTH int __hisinf(H a) { return __builtin_isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }          \
  CUCO_BOTH H cuco_saturated(H a) { return __hisnan(a) || (float)a < 0 ? H(0.0f) : (float)a > 1 ? H(1.0f) : a; } \
  CUCO_BOTH H __hadd(H a, H b) { return a + b; }                                                           \
  CUCO_BOTH H __hsub(H a, H b) { return a - b; }                                                           \
  CUCO_BOTH H __hmul(H a, H b) { return a * b; }                                                           \
  CUCO_BOTH H __hadd_rn(H a, H b) { return a + b; }                                                        \
  CUCO_BOTH H __hsub_rn(H a, H b) { return a - b; }                                                        \
  CUCO_BOTH H __hmul_rn(H a, H b) { return a * b; }                                                        \
  CUCO_BOTH H __hadd_sat(H a, H b) { return cuco_saturated(a + b); }                                       \
  CUCO_BOTH H __hsub_sat(H a, H b) { return cuco_saturated(a - b); }                                       \
  CUCO_BOTH H __hmul_sat(H a, H b) { return cuco_saturated(a * b); }                                       \
  CUCO_BOTH H __hdiv(H a, H b) { return a / b; }                                                           \
  CUCO_BOTH H __hneg(H a) { return -a; }                                                                   \
  CUCO_BOTH H __habs(H a) { return H(__builtin_fabsf((float)a)); }                                         \
  CUCO_BOTH H __hfma(H a, H b, H c) { return H((double)(float)a * (double)(float)b + (double)(float)c); }   \
  CUCO_BOTH H __hfma_sat(H a, H b, H c) { return cuco_saturated(__hfma(a, b, c)); }                        \
  CUCO_BOTH H __hfma_relu(H a, H b, H c) { H r = __hfma(a, b, c); return (float)r < 0 ? H(0.0f) : r; }      \
  CUCO_BOTH H __hmax(H a, H b) { return H(__builtin_fmaxf((float)a, (float)b)); }                          \
  CUCO_BOTH H __hmin(H a, H b) { return H(__builtin_fminf((float)a, (float)b)); }                          \
  CUCO_BOTH H __hmax_nan(H a, H b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }            \
  CUCO_BOTH H __hmin_nan(H a, H b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }            \
  CUCO_FLOAT16_COMPARE(H, H2, eq, ==)                                                                      \
  CUCO_FLOAT16_COMPARE(H, H2, ne, !=)                                                                      \
  CUCO_FLOAT16_COMPARE(H, H2, lt, <)                                                                       \
  CUCO_FLOAT16_COMPARE(H, H2, le, <=)                                                                      \
  CUCO_FLOAT16_COMPARE(H, H2, gt, >)                                                                       \
  CUCO_FLOAT16_COMPARE(H, H2, ge, >=)                                                                      \
  CUCO_FLOAT16_FUNCTION(H, H2, exp, expf(a))                                                               \
  CUCO_FLOAT16_FUNCTION(H, H2, exp2, exp2f(a))                                                             \
  CUCO_FLOAT16_FUNCTION(H, H2, exp10, powf(10.0f, a))                                                      \
  CUCO_FLOAT16_FUNCTION(H, H2, log, logf(a))                                                               \
  CUCO_FLOAT16_FUNCTION(H, H2, log2, log2f(a))                                                             \
  CUCO_FLOAT16_FUNCTION(H, H2, log10, log10f(a))                                                           \
  CUCO_FLOAT16_FUNCTION(H, H2, sin, sinf(a))                                                               \
  CUCO_FLOAT16_FUNCTION(H, H2, cos, cosf(a))                                                               \
  CUCO_FLOAT16_FUNCTION(H, H2, tanh, tanhf(a))                                                             \
  CUCO_FLOAT16_FUNCTION(H, H2, tanh_approx, tanhf(a))                                                      \
  CUCO_FLOAT16_FUNCTION(H, H2, sqrt, sqrtf(a))                                                             \
  CUCO_FLOAT16_FUNCTION(H, H2, rsqrt, 1.0f / sqrtf(a))                                                     \
  CUCO_FLOAT16_FUNCTION(H, H2, rcp, 1.0f / a)                                                              \
  CUCO_FLOAT16_FUNCTION(H, H2, ceil, __builtin_ceilf(a))                                                   \
  CUCO_FLOAT16_FUNCTION(H, H2, floor, __builtin_floorf(a))                                                 \
  CUCO_FLOAT16_FUNCTION(H, H2, trunc, __builtin_truncf(a))                                                 \
  CUCO_FLOAT16_FUNCTION(H, H2, rint, __builtin_rintf(a))                                                   \
  CUCO_FLOAT16_EACH(H, H2, __hadd2, __hadd)                                                                \
  CUCO_FLOAT16_EACH(H, H2, __hsub2, __hsub)                                                                \
  CUCO_FLOAT16_EACH(H, H2, __hmul2, __hmul)                                                                \
  CUCO_FLOAT16_EACH(H, H2, __hadd2_rn, __hadd)                                                             \
  CUCO_FLOAT16_EACH(H, H2, __hsub2_rn, __hsub)                                                             \
  CUCO_FLOAT16_EACH(H, H2, __hmul2_rn, __hmul)                                                             \
  CUCO_FLOAT16_EACH(H, H2, __hadd2_sat, __hadd_sat)                                                        \
  CUCO_FLOAT16_EACH(H, H2, __hsub2_sat, __hsub_sat)                                                        \
  CUCO_FLOAT16_EACH(H, H2, __hmul2_sat, __hmul_sat)                                                        \
  CUCO_FLOAT16_EACH(H, H2, __h2div, __hdiv)                                                                \
  CUCO_FLOAT16_EACH(H, H2, __hmax2, __hmax)                                                                \
  CUCO_FLOAT16_EACH(H, H2, __hmin2, __hmin)                                                                \
  CUCO_FLOAT16_EACH(H, H2, __hmax2_nan, __hmax_nan)                                                        \
  CUCO_FLOAT16_EACH(H, H2, __hmin2_nan, __hmin_nan)                                                        \
  CUCO_BOTH H2 __hneg2(H2 a) { return {__hneg(a.x), __hneg(a.y)}; }                                         \
  CUCO_BOTH H2 __habs2(H2 a) { return {__habs(a.x), __habs(a.y)}; }                                        \
  CUCO_BOTH H2 __hisnan2(H2 a) { return {H((float)__hisnan(a.x)), H((float)__hisnan(a.y))}; }              \
  CUCO_BOTH H2 __hfma2(H2 a, H2 b, H2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }        \
  CUCO_BOTH H2 __hfma2_sat(H2 a, H2 b, H2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }  \
  CUCO_BOTH H2 __hfma2_relu(H2 a, H2 b, H2 c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; } \
  /* (a + ib)(c + id) + e, as complex numbers. */                                                          \
  CUCO_BOTH H2 __hcmadd(H2 a, H2 b, H2 c) {                                                                \
    return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};            \
  }                                                                                                        \
  CUCO_BOTH H2 __lowhigh2highlow(H2 a) { return {a.y, a.x}; }                                              \
  CUCO_BOTH float __low2float(H2 a) { return (float)a.x; }                                                 \
  CUCO_BOTH float __high2float(H2 a) { return (float)a.y; }                                                \
  CUCO_FLOAT16_ATOMICS(H, __hadd)                                                                          \
  CUCO_FLOAT16_ATOMICS(H2, __hadd2)

#ifdef CUCO_CUDA_SOURCE
#define CUCO_FLOAT16_ATOMICS(T, ADD)                                                                       \
  CUCO_DEVICE T atomicAdd(T* address, T val) { T old = *address; return cuco_updated(address, old, ADD(old, val)); }
#else
#define CUCO_FLOAT16_ATOMICS(T, ADD)
#endif

// Conversions from and to numbers of CUDA in four roundings; S is the name of H in theirs ("half").
#define CUCO_FLOAT16_ROUNDED(H, S, FORMAT, R, MODE)                                                                       \
  CUCO_BOTH H __float2##S##_##R(float a) { return H{cuco_raw(cuco_float::rounded<cuco_float::FORMAT>(a, MODE), H())}; }     \
  CUCO_BOTH H __int2##S##_##R(int a) { return H{cuco_raw(cuco_float::rounded<cuco_float::FORMAT>(a, MODE), H())}; }         \
  CUCO_BOTH H __uint2##S##_##R(unsigned a) { return H{cuco_raw(cuco_float::rounded<cuco_float::FORMAT>(a, MODE), H())}; }   \
  CUCO_BOTH H __short2##S##_##R(short a) { return H{cuco_raw(cuco_float::rounded<cuco_float::FORMAT>(a, MODE), H())}; }     \
  CUCO_BOTH H __ushort2##S##_##R(unsigned short a) {                                                                      \
    return H{cuco_raw(cuco_float::rounded<cuco_float::FORMAT>(a, MODE), H())};                                            \
  }                                                                                                                       \
  CUCO_BOTH H __ll2##S##_##R(long long a) { return H{cuco_raw(cuco_float::rounded<cuco_float::FORMAT>(a, MODE), H())}; }    \
  CUCO_BOTH H __ull2##S##_##R(unsigned long long a) {                                                                     \
    return H{cuco_raw(cuco_float::rounded<cuco_float::FORMAT>(a, MODE), H())};                                            \
  }                                                                                                                       \
  CUCO_BOTH int __##S##2int_##R(H a) { return cuco_float::to_integer<int>((float)a, MODE); }                              \
  CUCO_BOTH unsigned __##S##2uint_##R(H a) { return cuco_float::to_integer<unsigned>((float)a, MODE); }                   \
  CUCO_BOTH short __##S##2short_##R(H a) { return cuco_float::to_integer<short>((float)a, MODE); }                        \
  CUCO_BOTH unsigned short __##S##2ushort_##R(H a) { return cuco_float::to_integer<unsigned short>((float)a, MODE); }     \
  CUCO_BOTH long long __##S##2ll_##R(H a) { return cuco_float::to_integer<long long>((float)a, MODE); }                   \
  CUCO_BOTH unsigned long long __##S##2ull_##R(H a) {                                                                     \
    return cuco_float::to_integer<unsigned long long>((float)a, MODE);                                                    \
  }
#define CUCO_FLOAT16_CONVERSIONS(H, S, FORMAT)                      \
  CUCO_FLOAT16_ROUNDED(H, S, FORMAT, rn, cuco_float::nearest)       \
  CUCO_FLOAT16_ROUNDED(H, S, FORMAT, rz, cuco_float::to_zero)       \
  CUCO_FLOAT16_ROUNDED(H, S, FORMAT, rd, cuco_float::down)          \
  CUCO_FLOAT16_ROUNDED(H, S, FORMAT, ru, cuco_float::up)            \
  CUCO_BOTH signed char __##S##2char_rz(H a) { return cuco_float::to_integer<signed char>((float)a, cuco_float::to_zero); } \
  CUCO_BOTH unsigned char __##S##2uchar_rz(H a) {                   \
    return cuco_float::to_integer<unsigned char>((float)a, cuco_float::to_zero); \
  }                                                                 \
  CUCO_BOTH H __float2##S(float a) { return H(a); }                 \
  CUCO_BOTH H __double2##S(double a) { return H(a); }               \
  CUCO_BOTH float __##S##2float(H a) { return (float)a; }           \
  CUCO_BOTH H __ushort_as_##S(unsigned short a) { return H{cuco_raw(a, H())}; }       \
  CUCO_BOTH H __short_as_##S(short a) { return H{cuco_raw((unsigned short)a, H())}; } \
  CUCO_BOTH unsigned short __##S##_as_ushort(H a) { return a.__x; } \
  CUCO_BOTH short __##S##_as_short(H a) { return (short)a.__x; }
