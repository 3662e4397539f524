// __nv_bfloat16 and __nv_bfloat162.
#pragma once

#include "cuco/small_float.h"
#include "cuda_runtime.h"
#include "vector_types.h"

#ifndef CUCO_BOTH
#define CUCO_BOTH static __host__ __device__ __inline__
#define CUCO_DEVICE static __inline__
#include <math.h>
#endif

struct __nv_bfloat16_raw { unsigned short x; };

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float value) : __x(cuco_float::bf16_of(value)) {}
  __host__ __device__ __nv_bfloat16(double value) : __x(cuco_float::bf16_of(cuco_float::to_odd_float(value))) {}
  __host__ __device__ __nv_bfloat16(int value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(unsigned value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(long value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(unsigned long value) : __nv_bfloat16((double)value) {}
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator float() const { return cuco_float::from_bf16(__x); }
  __host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

#include "cuco/float_pair.h"
CUCO_FLOAT16(__nv_bfloat16, __nv_bfloat162)

CUCO_BOTH __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
CUCO_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
CUCO_BOTH __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
CUCO_BOTH float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
CUCO_BOTH __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
CUCO_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
CUCO_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
CUCO_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
CUCO_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return {(float)a.x, (float)a.y}; }
CUCO_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
CUCO_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
CUCO_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
CUCO_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
CUCO_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
CUCO_BOTH float __low2float(__nv_bfloat162 a) { return (float)a.x; }
CUCO_BOTH float __high2float(__nv_bfloat162 a) { return (float)a.y; }
CUCO_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16(__nv_bfloat16_raw{a}); }
CUCO_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
