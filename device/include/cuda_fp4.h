// The 4-bit floating-point storage types, alone and by two. Values are rounded to nearest even; what is too large becomes
// the largest value.
#pragma once

#include "cuda_fp8.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus
#include "cuco/tiny_float.h"

CUCO_BOTH cuco_float::tiny_format cuco_fp4_format(__nv_fp4_interpretation_t) { return cuco_float::e2m1; }
CUCO_TINY_CONVERSIONS(fp4, 4)
CUCO_TINY_TYPES(fp4, e2m1, __NV_E2M1)
#endif
