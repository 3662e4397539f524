// The 6-bit floating-point storage types, alone and by two. Values are rounded to nearest even; what is too large becomes
// the largest value.
#pragma once

#include "cuda_fp8.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#ifdef __cplusplus
#include "cuco/tiny_float.h"

CUCO_BOTH cuco_float::tiny_format cuco_fp6_format(__nv_fp6_interpretation_t kind) { return kind == __NV_E2M3 ? cuco_float::e2m3 : cuco_float::e3m2; }
CUCO_TINY_CONVERSIONS(fp6, 8)
CUCO_TINY_TYPES(fp6, e2m3, __NV_E2M3)
CUCO_TINY_TYPES(fp6, e3m2, __NV_E3M2)
#endif
