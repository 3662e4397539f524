// threadIdx and its family. One plain object: the virtual cluster runs every thread in one OS thread and rewrites it
// at each switch.
#pragma once

#include "vector_types.h"

#ifdef CUCO_CUDA_SOURCE
extern "C" {
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
}
static constexpr int warpSize = 32;
#endif
