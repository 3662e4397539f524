// The C++ layer of the runtime: typed overloads, and in CUDA sources the built-in variables and device functions.
#pragma once

#include "cuco/attributes.h"
#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"

#ifdef __cplusplus
#include <utility>

template <class T>
static __inline__ cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return cudaMalloc((void**)devPtr, size);
}
template <class T>
static __inline__ cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
  return cudaHostAlloc((void**)ptr, size, flags);
}
template <class T>
static __inline__ cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return cudaHostAlloc((void**)ptr, size, flags);
}
template <class T>
static __inline__ cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return cudaHostGetDevicePointer((void**)pDevice, pHost, flags);
}
template <class T>
static __inline__ cudaError_t cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void**)devPtr, size, flags);
}
template <class T>
static __inline__ cudaError_t cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch((void**)devPtr, pitch, width, height);
}
template <class T>
static __inline__ cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaStream_t stream) {
  return cudaMallocAsync((void**)ptr, size, stream);
}
template <class T>
static __inline__ cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)ptr, size, memPool, stream);
}
template <class T>
static __inline__ cudaError_t cudaMallocFromPoolAsync(T** ptr, size_t size, cudaMemPool_t memPool,
                                                      cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)ptr, size, memPool, stream);
}

template <class T>
static __inline__ cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                                 cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void*)&symbol, src, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                   cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(dst, (const void*)&symbol, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count,
                                                      size_t offset = 0,
                                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                      cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync((const void*)&symbol, src, count, offset, kind, stream);
}
template <class T>
static __inline__ cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                        cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(dst, (const void*)&symbol, count, offset, kind, stream);
}
template <class T>
static __inline__ cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return cudaGetSymbolAddress(devPtr, (const void*)&symbol);
}
template <class T>
static __inline__ cudaError_t cudaGetSymbolSize(size_t* size, const T&) {
  *size = sizeof(T);
  return cudaSuccess;
}

template <class T>
static __inline__ cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                               size_t sharedMem = 0, cudaStream_t stream = 0) {
  return cudaLaunchKernel((const void*)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class T>
static __inline__ cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                                          size_t sharedMem = 0, cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel((const void*)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class... Parameters, class... Arguments>
static __inline__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                                 Arguments&&... args) {
  return [&](Parameters... converted) {
    void* pointers[sizeof...(Parameters) + 1] = {(void*)&converted..., nullptr};
    return cudaLaunchKernelExC(config, (const void*)kernel, pointers);
  }(std::forward<Arguments>(args)...);
}
template <class T>
static __inline__ cudaError_t cudaFuncSetCacheConfig(T* func, cudaFuncCache cacheConfig) {
  return cudaFuncSetCacheConfig((const void*)func, cacheConfig);
}
template <class T>
static __inline__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, T* func) {
  return cudaFuncGetAttributes(attr, (const void*)func);
}
template <class T>
static __inline__ cudaError_t cudaFuncSetAttribute(T* func, cudaFuncAttribute attr, int value) {
  return cudaFuncSetAttribute((const void*)func, attr, value);
}
template <class T>
static __inline__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                                            size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void*)func, blockSize, dynamicSMemSize);
}
template <class T>
static __inline__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T func,
                                                                                     int blockSize,
                                                                                     size_t dynamicSMemSize,
                                                                                     unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)func, blockSize,
                                                                dynamicSMemSize, flags);
}

// Tries the block sizes from large to small and keeps the one with the most resident threads.
template <class SharedBytes, class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                                             SharedBytes bytesOf,
                                                                             int blockSizeLimit = 0) {
  int device = 0, multiprocessors = 0, best = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  for (int size = blockSizeLimit > 0 ? blockSizeLimit : 1024; size >= 32; size -= 32) {
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)func, size, bytesOf(size));
    if (blocks * size <= best) continue;
    best = blocks * size;
    *blockSize = size;
    *minGridSize = blocks * multiprocessors;
  }
  return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
template <class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                                                 size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit);
}

template <class T>
static __inline__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                                          size_t dynamicSMemSize = 0,
                                                                          int blockSizeLimit = 0,
                                                                          unsigned int flags = 0) {
  (void)flags;
  return cudaOccupancyMaxPotentialBlockSize(minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit);
}
template <class T>
static __inline__ cudaError_t cudaFuncSetSharedMemConfig(T* func, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig((const void*)func, config);
}
template <class T>
static __inline__ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* func, int numBlocks,
                                                                        int blockSize) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void*)func, numBlocks, blockSize);
}
template <class T>
static __inline__ cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* devPtr, size_t length = 0,
                                                       unsigned int flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, (void*)devPtr, length, flags);
}

#ifdef CUCO_CUDA_SOURCE
// What Clang's launch syntax calls.
extern "C" cudaError_t cudaConfigureCall(dim3 gridSize, dim3 blockSize, size_t sharedSize = 0,
                                         cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0, void* stream = 0);

#include "cuco/device_math.h"
#include "cuco/device_sync.h"
#endif
#endif
