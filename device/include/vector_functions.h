// make_float4 and its family.
#pragma once

#include "vector_types.h"

#define CUCO_MAKERS(T, N)                                                                             \
  static __host__ __device__ __inline__ constexpr N##1 make_##N##1(T x) { return N##1{x}; }            \
  static __host__ __device__ __inline__ constexpr N##2 make_##N##2(T x, T y) { return N##2{x, y}; }    \
  static __host__ __device__ __inline__ constexpr N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; } \
  static __host__ __device__ __inline__ constexpr N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }

CUCO_MAKERS(signed char, char)
CUCO_MAKERS(unsigned char, uchar)
CUCO_MAKERS(short, short)
CUCO_MAKERS(unsigned short, ushort)
CUCO_MAKERS(int, int)
CUCO_MAKERS(unsigned int, uint)
CUCO_MAKERS(long, long)
CUCO_MAKERS(unsigned long, ulong)
CUCO_MAKERS(long long, longlong)
CUCO_MAKERS(unsigned long long, ulonglong)
CUCO_MAKERS(float, float)
CUCO_MAKERS(double, double)
#undef CUCO_MAKERS
