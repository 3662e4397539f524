// __nv_bfloat16 and __nv_bfloat162. C sees the types only, as in CUDA.
#pragma once

#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "vector_types.h"

#define __CUDA_BF16_TYPES_EXIST__

#ifndef __cplusplus
typedef struct __attribute__((aligned(2))) { unsigned short x; } __nv_bfloat16;
typedef struct __attribute__((aligned(4))) { unsigned short x, y; } __nv_bfloat162;
typedef __nv_bfloat16 __nv_bfloat16_raw;
typedef __nv_bfloat162 __nv_bfloat162_raw;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#else
#include "cuco/small_float.h"

struct __attribute__((aligned(2))) __nv_bfloat16_raw { unsigned short x; };
struct __attribute__((aligned(4))) __nv_bfloat162_raw { unsigned short x, y; };

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float value) : __x(cuco_float::bf16_of(value)) {}
  __host__ __device__ __nv_bfloat16(double value) : __x(cuco_float::bf16_of(cuco_float::to_odd_float(value))) {}
  __host__ __device__ __nv_bfloat16(short value) : __nv_bfloat16((float)value) {}
  __host__ __device__ __nv_bfloat16(unsigned short value) : __nv_bfloat16((float)value) {}
  __host__ __device__ __nv_bfloat16(int value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(unsigned value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(long value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(unsigned long value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(long long value) : __nv_bfloat16((double)value) {}
  __host__ __device__ __nv_bfloat16(unsigned long long value) : __nv_bfloat16((double)value) {}
  __host__ __device__ explicit __nv_bfloat16(__half value) : __nv_bfloat16((float)value) {}
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __host__ __device__ __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) { __x = raw.x; return *this; }
  __host__ __device__ operator float() const { return cuco_float::from_bf16(__x); }
  __host__ __device__ operator __nv_bfloat16_raw() const { return {__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ constexpr __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  __host__ __device__ operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
};
typedef __nv_bfloat162 nv_bfloat162;

CUCO_BOTH __nv_bfloat16_raw cuco_raw(unsigned short bits, __nv_bfloat16) { return {bits}; }

#include "cuco/float_pair.h"
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
CUCO_FLOAT16_OPERATORS(__nv_bfloat16)
#endif
CUCO_FLOAT16(__nv_bfloat16, __nv_bfloat162)
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
CUCO_FLOAT16_PAIR_OPERATORS(__nv_bfloat16, __nv_bfloat162)
#endif
CUCO_FLOAT16_CONVERSIONS(__nv_bfloat16, bfloat16, bf16_format)

CUCO_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
CUCO_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
CUCO_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
CUCO_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return {(float)a.x, (float)a.y}; }
CUCO_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
CUCO_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
CUCO_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
CUCO_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
CUCO_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
CUCO_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
CUCO_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
CUCO_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
CUCO_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#endif
