// make_float4 and its family.
#pragma once

#include "vector_types.h"

#ifdef __cplusplus
#define CUCO_MAKER static __host__ __device__ __inline__ constexpr
#define CUCO_MADE(N, ...) N{__VA_ARGS__}
#else
#define CUCO_MAKER static __inline__
#define CUCO_MADE(N, ...) (N){__VA_ARGS__}
#endif
#define CUCO_MAKERS(T, N)                                                               \
  CUCO_MAKER N##1 make_##N##1(T x) { return CUCO_MADE(N##1, x); }                        \
  CUCO_MAKER N##2 make_##N##2(T x, T y) { return CUCO_MADE(N##2, x, y); }                \
  CUCO_MAKER N##3 make_##N##3(T x, T y, T z) { return CUCO_MADE(N##3, x, y, z); }        \
  CUCO_MAKER N##4 make_##N##4(T x, T y, T z, T w) { return CUCO_MADE(N##4, x, y, z, w); }

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
#undef CUCO_MAKER
#undef CUCO_MADE
