// The CUDA keywords. In CUDA sources they are Clang attributes, so the front end sees a real CUDA AST; in host-only
// C++ sources they vanish, as the vendor's headers do it.
// CUCO_CUDA_SOURCE: this translation unit is a .cu file. The virtual cluster preprocesses .cu files in C++ mode with
// CUCO_LOWERING defined, because no macro may stand between the text it rewrites and the user's line numbers.
#pragma once

#if defined(__CUDA__) || defined(CUCO_LOWERING)
#define CUCO_CUDA_SOURCE 1
#define CUCO_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#else
#define CUCO_ATTRIBUTE(...)
#endif

#define __host__ CUCO_ATTRIBUTE(host)
#define __device__ CUCO_ATTRIBUTE(device)
#define __global__ CUCO_ATTRIBUTE(global)
#define __shared__ CUCO_ATTRIBUTE(shared)
#define __constant__ CUCO_ATTRIBUTE(constant)
#define __managed__ CUCO_ATTRIBUTE(device, annotate("cuco_managed"))
#define __launch_bounds__(...) CUCO_ATTRIBUTE(launch_bounds(__VA_ARGS__))
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __nv_pure__
#define __device_builtin__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define CUDARTAPI
#define CUDART_CB

#ifdef CUCO_CUDA_SOURCE
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDA_ARCH_LIST__ 900
#endif
