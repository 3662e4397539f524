// CUDA's short vectors with the alignment the hardware requires, and dim3.
#pragma once

#include "cuco/attributes.h"

// In C a name for the type has to be given apart.
#ifdef __cplusplus
#define CUCO_NAMED(N)
#else
#define CUCO_NAMED(N) typedef struct N N;
#endif
#define CUCO_VECTORS(T, N, A1, A2, A3, A4)                                \
  struct __attribute__((aligned(A1))) N##1 { T x; };                      \
  struct __attribute__((aligned(A2))) N##2 { T x, y; };                   \
  struct __attribute__((aligned(A3))) N##3 { T x, y, z; };                \
  struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; };             \
  CUCO_NAMED(N##1) CUCO_NAMED(N##2) CUCO_NAMED(N##3) CUCO_NAMED(N##4)

CUCO_VECTORS(signed char, char, 1, 2, 1, 4)
CUCO_VECTORS(unsigned char, uchar, 1, 2, 1, 4)
CUCO_VECTORS(short, short, 2, 4, 2, 8)
CUCO_VECTORS(unsigned short, ushort, 2, 4, 2, 8)
CUCO_VECTORS(int, int, 4, 8, 4, 16)
CUCO_VECTORS(unsigned int, uint, 4, 8, 4, 16)
CUCO_VECTORS(long, long, 8, 16, 8, 16)
CUCO_VECTORS(unsigned long, ulong, 8, 16, 8, 16)
CUCO_VECTORS(long long, longlong, 8, 16, 8, 16)
CUCO_VECTORS(unsigned long long, ulonglong, 8, 16, 8, 16)
CUCO_VECTORS(float, float, 4, 8, 4, 16)
CUCO_VECTORS(double, double, 8, 16, 8, 16)
#undef CUCO_VECTORS
#undef CUCO_NAMED

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};

#ifndef __cplusplus
typedef struct dim3 dim3;
#endif
