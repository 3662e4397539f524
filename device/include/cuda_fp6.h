// The 6-bit floating-point storage types, alone and by two. Values are rounded to nearest even; what is too large becomes
// the largest value.
#pragma once

#include "cuda_fp8.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#ifdef __cplusplus
CUCO_BOTH __nv_fp6_storage_t __nv_cvt_float_to_fp6(float x, __nv_fp6_interpretation_t kind, enum cudaRoundMode) {
  return cuco_float::tiny_of(x, kind == __NV_E2M3 ? cuco_float::e2m3 : cuco_float::e3m2);
}
CUCO_BOTH __nv_fp6_storage_t __nv_cvt_double_to_fp6(double x, __nv_fp6_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float_to_fp6(cuco_float::to_odd_float(x), kind, mode);
}
CUCO_BOTH __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw x, __nv_fp6_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float_to_fp6((float)__half(x), kind, mode);
}
CUCO_BOTH __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw x, __nv_fp6_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float_to_fp6((float)__nv_bfloat16(x), kind, mode);
}
CUCO_BOTH __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(float2 x, __nv_fp6_interpretation_t kind, enum cudaRoundMode mode) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_float_to_fp6(x.x, kind, mode) | __nv_cvt_float_to_fp6(x.y, kind, mode) << 8);
}
CUCO_BOTH __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(double2 x, __nv_fp6_interpretation_t kind, enum cudaRoundMode mode) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_double_to_fp6(x.x, kind, mode) | __nv_cvt_double_to_fp6(x.y, kind, mode) << 8);
}
CUCO_BOTH __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(__half2_raw x, __nv_fp6_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float2_to_fp6x2(__half22float2(__half2(x)), kind, mode);
}
CUCO_BOTH __nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(__nv_bfloat162_raw x, __nv_fp6_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float2_to_fp6x2(__bfloat1622float2(__nv_bfloat162(x)), kind, mode);
}
CUCO_BOTH __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind) {
  return {cuco_float::half_of(cuco_float::from_tiny(x, kind == __NV_E2M3 ? cuco_float::e2m3 : cuco_float::e3m2))};
}
CUCO_BOTH __half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x, __nv_fp6_interpretation_t kind) {
  return {__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)x, kind).x,
          __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), kind).x};
}

#define CUCO_FP6(ONE, TWO, KIND)                                                                                   \
  struct ONE {                                                                                                      \
    __nv_fp6_storage_t __x;                                                                                         \
    ONE() = default;                                                                                                \
    __host__ __device__ explicit ONE(float v) : __x(__nv_cvt_float_to_fp6(v, KIND, cudaRoundNearest)) {}            \
    __host__ __device__ explicit ONE(double v) : __x(__nv_cvt_double_to_fp6(v, KIND, cudaRoundNearest)) {}          \
    __host__ __device__ explicit ONE(int v) : ONE((double)v) {}                                                     \
    __host__ __device__ explicit ONE(__half v) : ONE((float)v) {}                                                   \
    __host__ __device__ explicit ONE(__nv_bfloat16 v) : ONE((float)v) {}                                            \
    __host__ __device__ operator float() const { return (float)__half(__nv_cvt_fp6_to_halfraw(__x, KIND)); }        \
  };                                                                                                                \
  struct TWO {                                                                                                      \
    __nv_fp6x2_storage_t __x;                                                                                       \
    TWO() = default;                                                                                                \
    __host__ __device__ explicit TWO(float2 v) : __x(__nv_cvt_float2_to_fp6x2(v, KIND, cudaRoundNearest)) {}        \
    __host__ __device__ operator float2() const {                                                                   \
      return __half22float2(__half2(__nv_cvt_fp6x2_to_halfraw2(__x, KIND)));                                        \
    }                                                                                                               \
  };
CUCO_FP6(__nv_fp6_e2m3, __nv_fp6x2_e2m3, __NV_E2M3)
CUCO_FP6(__nv_fp6_e3m2, __nv_fp6x2_e3m2, __NV_E3M2)
#undef CUCO_FP6
#endif
