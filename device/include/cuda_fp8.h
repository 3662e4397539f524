// The 8-bit floating-point storage types, alone and by two and four. Constructors saturate.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus
#include "cuco/small_float.h"

CUCO_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  return cuco_float::fp8_of(x, kind == __NV_E4M3 ? cuco_float::e4m3 : cuco_float::e5m2, saturate == __NV_SATFINITE);
}
CUCO_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(cuco_float::to_odd_float(x), saturate, kind);
}
CUCO_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8((float)__half(x), saturate, kind);
}
CUCO_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), saturate, kind);
}
CUCO_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) |
                                __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
CUCO_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
CUCO_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, kind);
}
CUCO_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, kind);
}
CUCO_BOTH float cuco_from_fp8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return cuco_float::from_fp8(x, kind == __NV_E4M3 ? cuco_float::e4m3 : cuco_float::e5m2);
}
CUCO_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return {cuco_float::half_of(cuco_from_fp8(x, kind))};
}
CUCO_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
          __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}

#define CUCO_FP8(ONE, TWO, FOUR, KIND)                                                                              \
  struct ONE {                                                                                                      \
    __nv_fp8_storage_t __x;                                                                                         \
    ONE() = default;                                                                                                \
    __host__ __device__ explicit ONE(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, KIND)) {}              \
    __host__ __device__ explicit ONE(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, KIND)) {}            \
    __host__ __device__ explicit ONE(short v) : ONE((double)v) {}                                                   \
    __host__ __device__ explicit ONE(unsigned short v) : ONE((double)v) {}                                          \
    __host__ __device__ explicit ONE(int v) : ONE((double)v) {}                                                     \
    __host__ __device__ explicit ONE(unsigned v) : ONE((double)v) {}                                                \
    __host__ __device__ explicit ONE(long v) : ONE((double)v) {}                                                    \
    __host__ __device__ explicit ONE(unsigned long v) : ONE((double)v) {}                                           \
    __host__ __device__ explicit ONE(long long v) : ONE((double)v) {}                                               \
    __host__ __device__ explicit ONE(unsigned long long v) : ONE((double)v) {}                                      \
    __host__ __device__ explicit ONE(__half v) : ONE((float)v) {}                                                   \
    __host__ __device__ explicit ONE(__nv_bfloat16 v) : ONE((float)v) {}                                            \
    __host__ __device__ operator float() const { return cuco_from_fp8(__x, KIND); }                                 \
    __host__ __device__ explicit operator double() const { return (float)*this; }                                   \
    __host__ __device__ explicit operator __half() const { return __half((float)*this); }                           \
    __host__ __device__ explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }             \
    __host__ __device__ explicit operator int() const { return cuco_float::to_integer<int>((float)*this, cuco_float::to_zero); } \
    __host__ __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }                                \
  };                                                                                                                \
  struct TWO {                                                                                                      \
    __nv_fp8x2_storage_t __x;                                                                                       \
    TWO() = default;                                                                                                \
    __host__ __device__ explicit TWO(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}          \
    __host__ __device__ explicit TWO(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}        \
    __host__ __device__ explicit TWO(__half2 v) : TWO(__half22float2(v)) {}                                         \
    __host__ __device__ explicit TWO(__nv_bfloat162 v) : TWO(__bfloat1622float2(v)) {}                              \
    __host__ __device__ operator float2() const {                                                                   \
      return {cuco_from_fp8((__nv_fp8_storage_t)__x, KIND), cuco_from_fp8((__nv_fp8_storage_t)(__x >> 8), KIND)};   \
    }                                                                                                               \
    __host__ __device__ explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, KIND)); } \
  };                                                                                                                \
  struct FOUR {                                                                                                     \
    __nv_fp8x4_storage_t __x;                                                                                       \
    FOUR() = default;                                                                                               \
    __host__ __device__ explicit FOUR(float4 v)                                                                     \
        : __x(TWO(float2{v.x, v.y}).__x | (unsigned)TWO(float2{v.z, v.w}).__x << 16) {}                             \
    __host__ __device__ explicit FOUR(__half2 a, __half2 b) : __x(TWO(a).__x | (unsigned)TWO(b).__x << 16) {}       \
    __host__ __device__ explicit FOUR(__nv_bfloat162 a, __nv_bfloat162 b)                                           \
        : __x(TWO(a).__x | (unsigned)TWO(b).__x << 16) {}                                                           \
    __host__ __device__ operator float4() const {                                                                   \
      auto at = [&](int i) { return cuco_from_fp8((__nv_fp8_storage_t)(__x >> 8 * i), KIND); };                     \
      return {at(0), at(1), at(2), at(3)};                                                                          \
    }                                                                                                               \
  };
CUCO_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
CUCO_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef CUCO_FP8
#endif
