// What fp6 and fp4 have in common: conversions, and the types of one value and of two. F is fp6 or fp4, SHIFT where the
// second of two values begins; cuco_F_format() gives the format of an interpretation.
#pragma once

#include "cuda_fp8.h"

#define CUCO_TINY_CONVERSIONS(F, SHIFT)                                                                                               \
CUCO_BOTH __nv_##F##_storage_t __nv_cvt_float_to_##F(float x, __nv_##F##_interpretation_t kind, enum cudaRoundMode) {                 \
  return cuco_float::tiny_of(x, cuco_##F##_format(kind));                                                                             \
}                                                                                                                                     \
CUCO_BOTH __nv_##F##_storage_t __nv_cvt_double_to_##F(double x, __nv_##F##_interpretation_t kind, enum cudaRoundMode mode) {          \
  return __nv_cvt_float_to_##F(cuco_float::to_odd_float(x), kind, mode);                                                              \
}                                                                                                                                     \
CUCO_BOTH __nv_##F##_storage_t __nv_cvt_halfraw_to_##F(__half_raw x, __nv_##F##_interpretation_t kind, enum cudaRoundMode mode) {     \
  return __nv_cvt_float_to_##F((float)__half(x), kind, mode);                                                                         \
}                                                                                                                                     \
CUCO_BOTH __nv_##F##_storage_t __nv_cvt_bfloat16raw_to_##F(__nv_bfloat16_raw x, __nv_##F##_interpretation_t kind,                     \
                                                     enum cudaRoundMode mode) {                                                       \
  return __nv_cvt_float_to_##F((float)__nv_bfloat16(x), kind, mode);                                                                  \
}                                                                                                                                     \
CUCO_BOTH __nv_##F##x2_storage_t __nv_cvt_float2_to_##F##x2(float2 x, __nv_##F##_interpretation_t kind, enum cudaRoundMode mode) {    \
  return (__nv_##F##x2_storage_t)(__nv_cvt_float_to_##F(x.x, kind, mode) | __nv_cvt_float_to_##F(x.y, kind, mode) << SHIFT);          \
}                                                                                                                                     \
CUCO_BOTH __nv_##F##x2_storage_t __nv_cvt_double2_to_##F##x2(double2 x, __nv_##F##_interpretation_t kind, enum cudaRoundMode mode) {  \
  return (__nv_##F##x2_storage_t)(__nv_cvt_double_to_##F(x.x, kind, mode) | __nv_cvt_double_to_##F(x.y, kind, mode) << SHIFT);        \
}                                                                                                                                     \
CUCO_BOTH __nv_##F##x2_storage_t __nv_cvt_halfraw2_to_##F##x2(__half2_raw x, __nv_##F##_interpretation_t kind,                        \
                                                      enum cudaRoundMode mode) {                                                      \
  return __nv_cvt_float2_to_##F##x2(__half22float2(__half2(x)), kind, mode);                                                          \
}                                                                                                                                     \
CUCO_BOTH __nv_##F##x2_storage_t __nv_cvt_bfloat16raw2_to_##F##x2(__nv_bfloat162_raw x, __nv_##F##_interpretation_t kind,             \
                                                          enum cudaRoundMode mode) {                                                  \
  return __nv_cvt_float2_to_##F##x2(__bfloat1622float2(__nv_bfloat162(x)), kind, mode);                                               \
}                                                                                                                                     \
CUCO_BOTH __half_raw __nv_cvt_##F##_to_halfraw(__nv_##F##_storage_t x, __nv_##F##_interpretation_t kind) {                            \
  return {cuco_float::half_of(cuco_float::from_tiny(x, cuco_##F##_format(kind)))};                                                    \
}                                                                                                                                     \
CUCO_BOTH __half2_raw __nv_cvt_##F##x2_to_halfraw2(__nv_##F##x2_storage_t x, __nv_##F##_interpretation_t kind) {                      \
  return {__nv_cvt_##F##_to_halfraw((__nv_##F##_storage_t)x, kind).x,                                                                 \
          __nv_cvt_##F##_to_halfraw((__nv_##F##_storage_t)(x >> SHIFT), kind).x};                                                     \
}

// KIND is the format's name, CODE its interpretation.
#define CUCO_TINY_TYPES(F, KIND, CODE)                                                                                        \
struct __nv_##F##_##KIND {                                                                                                    \
  __nv_##F##_storage_t __x;                                                                                                   \
  __nv_##F##_##KIND() = default;                                                                                              \
  __host__ __device__ explicit __nv_##F##_##KIND(float v) : __x(__nv_cvt_float_to_##F(v, CODE, cudaRoundNearest)) {}          \
  __host__ __device__ explicit __nv_##F##_##KIND(double v) : __x(__nv_cvt_double_to_##F(v, CODE, cudaRoundNearest)) {}        \
  __host__ __device__ explicit __nv_##F##_##KIND(int v) : __nv_##F##_##KIND((double)v) {}                                     \
  __host__ __device__ explicit __nv_##F##_##KIND(__half v) : __nv_##F##_##KIND((float)v) {}                                   \
  __host__ __device__ explicit __nv_##F##_##KIND(__nv_bfloat16 v) : __nv_##F##_##KIND((float)v) {}                            \
  __host__ __device__ operator float() const { return (float)__half(__nv_cvt_##F##_to_halfraw(__x, CODE)); }                  \
};                                                                                                                            \
struct __nv_##F##x2_##KIND {                                                                                                  \
  __nv_##F##x2_storage_t __x;                                                                                                 \
  __nv_##F##x2_##KIND() = default;                                                                                            \
  __host__ __device__ explicit __nv_##F##x2_##KIND(float2 v) : __x(__nv_cvt_float2_to_##F##x2(v, CODE, cudaRoundNearest)) {}  \
  __host__ __device__ operator float2() const { return __half22float2(__half2(__nv_cvt_##F##x2_to_halfraw2(__x, CODE))); }    \
};
