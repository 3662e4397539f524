// The two 8-bit floating-point storage types. Conversions saturate.
#pragma once

#include "cuco/small_float.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#define CUCO_FP8(NAME, FORMAT)                                                                     \
  struct NAME {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    NAME() = default;                                                                              \
    __host__ __device__ explicit NAME(float v) : __x(cuco_float::fp8_of(v, cuco_float::FORMAT)) {}  \
    __host__ __device__ explicit NAME(double v) : NAME(cuco_float::to_odd_float(v)) {}             \
    __host__ __device__ explicit NAME(int v) : NAME((double)v) {}                                  \
    __host__ __device__ explicit NAME(__half v) : NAME((float)v) {}                                \
    __host__ __device__ explicit NAME(__nv_bfloat16 v) : NAME((float)v) {}                         \
    __host__ __device__ operator float() const { return cuco_float::from_fp8(__x, cuco_float::FORMAT); } \
  };
CUCO_FP8(__nv_fp8_e4m3, e4m3)
CUCO_FP8(__nv_fp8_e5m2, e5m2)
#undef CUCO_FP8

static __host__ __device__ __inline__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t,
                                                                               __nv_fp8_interpretation_t kind) {
  return cuco_float::fp8_of(x, kind == __NV_E4M3 ? cuco_float::e4m3 : cuco_float::e5m2);
}
static __host__ __device__ __inline__ __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                                         __nv_fp8_interpretation_t kind) {
  return {cuco_float::half_of(cuco_float::from_fp8(x, kind == __NV_E4M3 ? cuco_float::e4m3 : cuco_float::e5m2))};
}
