// __half and __half2.
#pragma once

#include "cuco/small_float.h"
#include "cuda_runtime.h"
#include "vector_types.h"

#ifndef CUCO_BOTH
#define CUCO_BOTH static __host__ __device__ __inline__
#define CUCO_DEVICE static __inline__
#include <math.h>
#endif

struct __half_raw { unsigned short x; };

struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ __half(float value) : __x(cuco_float::half_of(value)) {}
  __host__ __device__ __half(double value) : __x(cuco_float::half_of(value)) {}
  __host__ __device__ __half(int value) : __x(cuco_float::half_of((double)value)) {}
  __host__ __device__ __half(unsigned value) : __x(cuco_float::half_of((double)value)) {}
  __host__ __device__ __half(long value) : __x(cuco_float::half_of((double)value)) {}
  __host__ __device__ __half(unsigned long value) : __x(cuco_float::half_of((double)value)) {}
  __host__ __device__ constexpr __half(const __half_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator float() const { return cuco_float::from_half(__x); }
  __host__ __device__ operator __half_raw() const { return {__x}; }
};
typedef __half half;
typedef __half __nv_half;

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;
typedef __half2 __nv_half2;

#include "cuco/float_pair.h"
CUCO_FLOAT16(__half, __half2)

CUCO_BOTH __half __float2half(float a) { return __half(a); }
CUCO_BOTH __half __float2half_rn(float a) { return __half(a); }
CUCO_BOTH __half __double2half(double a) { return __half(a); }
CUCO_BOTH float __half2float(__half a) { return (float)a; }
CUCO_BOTH __half __int2half_rn(int a) { return __half((float)a); }
CUCO_BOTH int __half2int_rn(__half a) { return (int)__builtin_rintf((float)a); }
CUCO_BOTH __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
CUCO_BOTH __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
CUCO_BOTH __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
CUCO_BOTH float2 __half22float2(__half2 a) { return {(float)a.x, (float)a.y}; }
CUCO_BOTH __half2 __half2half2(__half a) { return {a, a}; }
CUCO_BOTH __half2 __halves2half2(__half a, __half b) { return {a, b}; }
CUCO_BOTH __half2 make_half2(__half a, __half b) { return {a, b}; }
CUCO_BOTH __half __low2half(__half2 a) { return a.x; }
CUCO_BOTH __half __high2half(__half2 a) { return a.y; }
CUCO_BOTH float __low2float(__half2 a) { return (float)a.x; }
CUCO_BOTH float __high2float(__half2 a) { return (float)a.y; }
CUCO_BOTH __half __ushort_as_half(unsigned short a) { return __half(__half_raw{a}); }
CUCO_BOTH unsigned short __half_as_ushort(__half a) { return a.__x; }
CUCO_BOTH short __half_as_short(__half a) { return (short)a.__x; }
