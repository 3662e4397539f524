// __half and __half2. C sees the types only, as in CUDA.
#pragma once

#include "cuda_runtime.h"
#include "vector_types.h"

#define __CUDA_FP16_TYPES_EXIST__

#ifndef __cplusplus
typedef struct __attribute__((aligned(2))) { unsigned short x; } __half;
typedef struct __attribute__((aligned(4))) { unsigned short x, y; } __half2;
typedef __half __half_raw;
typedef __half2 __half2_raw;
typedef __half half;
typedef __half2 half2;
#else
#include "cuco/small_float.h"

#ifndef CUCO_BOTH
#define CUCO_BOTH static __host__ __device__ __inline__
#define CUCO_DEVICE static __inline__
#endif

struct __attribute__((aligned(2))) __half_raw { unsigned short x; };
struct __attribute__((aligned(4))) __half2_raw { unsigned short x, y; };

struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ __half(float value) : __x(cuco_float::half_of(value)) {}
  __host__ __device__ __half(double value) : __x(cuco_float::half_of(value)) {}
  __host__ __device__ __half(short value) : __half((float)value) {}
  __host__ __device__ __half(unsigned short value) : __half((float)value) {}
  __host__ __device__ __half(int value) : __half((double)value) {}
  __host__ __device__ __half(unsigned value) : __half((double)value) {}
  __host__ __device__ __half(long value) : __half((double)value) {}
  __host__ __device__ __half(unsigned long value) : __half((double)value) {}
  __host__ __device__ __half(long long value) : __half((double)value) {}
  __host__ __device__ __half(unsigned long long value) : __half((double)value) {}
  __host__ __device__ constexpr __half(const __half_raw& raw) : __x(raw.x) {}
  __host__ __device__ __half& operator=(const __half_raw& raw) { __x = raw.x; return *this; }
  __host__ __device__ operator float() const { return cuco_float::from_half(__x); }
  __host__ __device__ operator __half_raw() const { return {__x}; }
};
typedef __half half;
typedef __half __nv_half;
typedef __half nv_half;
typedef __half_raw __nv_half_raw;

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ constexpr __half2(__half a, __half b) : x(a), y(b) {}
  __host__ __device__ __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __host__ __device__ operator __half2_raw() const { return {x.__x, y.__x}; }
};
typedef __half2 half2;
typedef __half2 __nv_half2;
typedef __half2 nv_half2;
typedef __half2_raw __nv_half2_raw;

CUCO_BOTH __half_raw cuco_raw(unsigned short bits, __half) { return {bits}; }

#include "cuco/float_pair.h"
#ifndef __CUDA_NO_HALF_OPERATORS__
CUCO_FLOAT16_OPERATORS(__half)
#endif
CUCO_FLOAT16(__half, __half2)
#ifndef __CUDA_NO_HALF2_OPERATORS__
CUCO_FLOAT16_PAIR_OPERATORS(__half, __half2)
#endif
CUCO_FLOAT16_CONVERSIONS(__half, half, half_format)

CUCO_BOTH __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
CUCO_BOTH __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
CUCO_BOTH __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
CUCO_BOTH float2 __half22float2(__half2 a) { return {(float)a.x, (float)a.y}; }
CUCO_BOTH __half2 __half2half2(__half a) { return {a, a}; }
CUCO_BOTH __half2 __halves2half2(__half a, __half b) { return {a, b}; }
CUCO_BOTH __half2 make_half2(__half a, __half b) { return {a, b}; }
CUCO_BOTH __half __low2half(__half2 a) { return a.x; }
CUCO_BOTH __half __high2half(__half2 a) { return a.y; }
CUCO_BOTH __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
CUCO_BOTH __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
CUCO_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
CUCO_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#endif
