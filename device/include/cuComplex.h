// Complex numbers as pairs, for host and device code.
#pragma once

#include <math.h>

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

#define CUCO_COMPLEX_FUNCTION static __host__ __device__ __inline__
#define CUCO_COMPLEX(T, R, MAKE, SUFFIX, REAL, IMAG, ABSOLUTE)                                                  \
  CUCO_COMPLEX_FUNCTION R REAL(T x) { return x.x; }                                                             \
  CUCO_COMPLEX_FUNCTION R IMAG(T x) { return x.y; }                                                             \
  CUCO_COMPLEX_FUNCTION T MAKE(R r, R i) {                                                                      \
    T result;                                                                                                   \
    result.x = r, result.y = i;                                                                                 \
    return result;                                                                                              \
  }                                                                                                             \
  CUCO_COMPLEX_FUNCTION T cuConj##SUFFIX(T x) { return MAKE(x.x, -x.y); }                                       \
  CUCO_COMPLEX_FUNCTION T cuCadd##SUFFIX(T x, T y) { return MAKE(x.x + y.x, x.y + y.y); }                       \
  CUCO_COMPLEX_FUNCTION T cuCsub##SUFFIX(T x, T y) { return MAKE(x.x - y.x, x.y - y.y); }                       \
  CUCO_COMPLEX_FUNCTION T cuCmul##SUFFIX(T x, T y) {                                                            \
    return MAKE(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                                  \
  }                                                                                                             \
  /* Scaled, so that nothing overflows on the way. */                                                           \
  CUCO_COMPLEX_FUNCTION T cuCdiv##SUFFIX(T x, T y) {                                                            \
    R scale = 1 / (ABSOLUTE(y.x) + ABSOLUTE(y.y));                                                              \
    R a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale, norm = 1 / (c * c + d * d);           \
    return MAKE((a * c + b * d) * norm, (b * c - a * d) * norm);                                                \
  }                                                                                                             \
  CUCO_COMPLEX_FUNCTION T cuCfma##SUFFIX(T x, T y, T d) { return cuCadd##SUFFIX(cuCmul##SUFFIX(x, y), d); }

CUCO_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f, cuCrealf, cuCimagf, fabsf)
CUCO_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, , cuCreal, cuCimag, fabs)
CUCO_COMPLEX_FUNCTION float cuCabsf(cuFloatComplex x) { return hypotf(x.x, x.y); }
CUCO_COMPLEX_FUNCTION double cuCabs(cuDoubleComplex x) { return hypot(x.x, x.y); }
CUCO_COMPLEX_FUNCTION cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
CUCO_COMPLEX_FUNCTION cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex((double)c.x, (double)c.y);
}
CUCO_COMPLEX_FUNCTION cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}
#undef CUCO_COMPLEX
#undef CUCO_COMPLEX_FUNCTION
