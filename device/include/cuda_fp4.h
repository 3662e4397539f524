// The 4-bit floating-point storage types, alone and by two. Values are rounded to nearest even; what is too large becomes
// the largest value.
#pragma once

#include "cuda_fp8.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus
CUCO_BOTH __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t , enum cudaRoundMode) {
  return cuco_float::tiny_of(x, cuco_float::e2m1);
}
CUCO_BOTH __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float_to_fp4(cuco_float::to_odd_float(x), kind, mode);
}
CUCO_BOTH __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float_to_fp4((float)__half(x), kind, mode);
}
CUCO_BOTH __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float_to_fp4((float)__nv_bfloat16(x), kind, mode);
}
CUCO_BOTH __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) {
  return (__nv_fp4x2_storage_t)(__nv_cvt_float_to_fp4(x.x, kind, mode) | __nv_cvt_float_to_fp4(x.y, kind, mode) << 4);
}
CUCO_BOTH __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 x, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) {
  return (__nv_fp4x2_storage_t)(__nv_cvt_double_to_fp4(x.x, kind, mode) | __nv_cvt_double_to_fp4(x.y, kind, mode) << 4);
}
CUCO_BOTH __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw x, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float2_to_fp4x2(__half22float2(__half2(x)), kind, mode);
}
CUCO_BOTH __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(__nv_bfloat162_raw x, __nv_fp4_interpretation_t kind, enum cudaRoundMode mode) {
  return __nv_cvt_float2_to_fp4x2(__bfloat1622float2(__nv_bfloat162(x)), kind, mode);
}
CUCO_BOTH __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t ) {
  return {cuco_float::half_of(cuco_float::from_tiny(x, cuco_float::e2m1))};
}
CUCO_BOTH __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t kind) {
  return {__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)x, kind).x,
          __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), kind).x};
}

#define CUCO_FP4(ONE, TWO, KIND)                                                                                   \
  struct ONE {                                                                                                      \
    __nv_fp4_storage_t __x;                                                                                         \
    ONE() = default;                                                                                                \
    __host__ __device__ explicit ONE(float v) : __x(__nv_cvt_float_to_fp4(v, KIND, cudaRoundNearest)) {}            \
    __host__ __device__ explicit ONE(double v) : __x(__nv_cvt_double_to_fp4(v, KIND, cudaRoundNearest)) {}          \
    __host__ __device__ explicit ONE(int v) : ONE((double)v) {}                                                     \
    __host__ __device__ explicit ONE(__half v) : ONE((float)v) {}                                                   \
    __host__ __device__ explicit ONE(__nv_bfloat16 v) : ONE((float)v) {}                                            \
    __host__ __device__ operator float() const { return (float)__half(__nv_cvt_fp4_to_halfraw(__x, KIND)); }        \
  };                                                                                                                \
  struct TWO {                                                                                                      \
    __nv_fp4x2_storage_t __x;                                                                                       \
    TWO() = default;                                                                                                \
    __host__ __device__ explicit TWO(float2 v) : __x(__nv_cvt_float2_to_fp4x2(v, KIND, cudaRoundNearest)) {}        \
    __host__ __device__ operator float2() const {                                                                   \
      return __half22float2(__half2(__nv_cvt_fp4x2_to_halfraw2(__x, KIND)));                                        \
    }                                                                                                               \
  };
CUCO_FP4(__nv_fp4_e2m1, __nv_fp4x2_e2m1, __NV_E2M1)
#undef CUCO_FP4
#endif
