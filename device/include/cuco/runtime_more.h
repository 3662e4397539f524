// Calls of the runtime that come down to others: old names, volumes as planes, questions that have one answer here.
#pragma once

#include "driver_types.h"

#ifdef __cplusplus
#define CUCO_INLINE static __inline__
#else
#define CUCO_INLINE static inline
#endif

// Names that CUDA dropped or renamed, and that programs still use.
CUCO_INLINE cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
CUCO_INLINE cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
CUCO_INLINE cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
CUCO_INLINE cudaError_t cudaThreadGetLimit(size_t* pValue, enum cudaLimit limit) {
  return cudaDeviceGetLimit(pValue, limit);
}
CUCO_INLINE cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
CUCO_INLINE cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}

CUCO_INLINE cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* pCacheConfig) {
  *pCacheConfig = cudaFuncCachePreferNone;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* pConfig) {
  *pConfig = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaFuncSetSharedMemConfig(const void* func, enum cudaSharedMemConfig config) {
  (void)func, (void)config;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }
CUCO_INLINE cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                                           enum cudaFlushGPUDirectRDMAWritesScope scope) {
  (void)target, (void)scope;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaSetValidDevices(int* device_arr, int len) {
  (void)device_arr, (void)len;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp* prop) {
  (void)prop;
  *device = 0;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  (void)pHost;
  *pFlags = cudaHostAllocMapped;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length CUCO_DEFAULT(0),
                                                 unsigned int flags CUCO_DEFAULT(cudaMemAttachSingle)) {
  (void)stream, (void)devPtr, (void)length, (void)flags;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  *streamId = (unsigned long long)(size_t)hStream;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                               const cudaStreamAttrValue* value) {
  (void)hStream, (void)attr, (void)value;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue* value) {
  (void)attr;
  memset(value, 0, sizeof *value);
  return cudaStreamGetPriority(hStream, &value->priority);
}
CUCO_INLINE cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  (void)dst, (void)src;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                             struct cudaMemLocation* location) {
  (void)memPool, (void)location;
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaDeviceGraphMemTrim(int device) {
  (void)device;
  return cudaSuccess;
}

// Volumes are copied plane by plane; arrays for textures are not there.
CUCO_INLINE struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos made = {x, y, z};
  return made;
}
CUCO_INLINE struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  struct cudaExtent made = {w, h, d};
  return made;
}
CUCO_INLINE struct cudaPitchedPtr make_cudaPitchedPtr(void* d, size_t p, size_t xsz, size_t ysz) {
  struct cudaPitchedPtr made = {d, p, xsz, ysz};
  return made;
}
CUCO_INLINE cudaError_t cudaMalloc3D(struct cudaPitchedPtr* pitchedDevPtr, struct cudaExtent extent) {
  pitchedDevPtr->xsize = extent.width, pitchedDevPtr->ysize = extent.height;
  return cudaMallocPitch(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, extent.height * extent.depth);
}
CUCO_INLINE char* cuco_plane(const struct cudaPitchedPtr* p, const struct cudaPos* at, size_t plane) {
  return (char*)p->ptr + ((at->z + plane) * p->ysize + at->y) * p->pitch + at->x;
}
CUCO_INLINE cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t stream CUCO_DEFAULT(0)) {
  if (p->srcArray || p->dstArray) return cudaErrorNotSupported;
  for (size_t plane = 0; plane < p->extent.depth; plane++) {
    cudaError_t result = cudaMemcpy2DAsync(cuco_plane(&p->dstPtr, &p->dstPos, plane), p->dstPtr.pitch,
                                           cuco_plane(&p->srcPtr, &p->srcPos, plane), p->srcPtr.pitch, p->extent.width,
                                           p->extent.height, p->kind, stream);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* p) {
  cudaError_t result = cudaMemcpy3DAsync(p, 0);
  return result == cudaSuccess ? cudaStreamSynchronize(0) : result;
}
CUCO_INLINE cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms* p, cudaStream_t stream CUCO_DEFAULT(0)) {
  struct cudaMemcpy3DParms plain;
  memset(&plain, 0, sizeof plain);
  plain.srcPos = p->srcPos, plain.srcPtr = p->srcPtr, plain.dstPos = p->dstPos, plain.dstPtr = p->dstPtr;
  plain.extent = p->extent, plain.kind = cudaMemcpyDefault;
  return cudaMemcpy3DAsync(&plain, stream);
}
CUCO_INLINE cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms* p) {
  cudaError_t result = cudaMemcpy3DPeerAsync(p, 0);
  return result == cudaSuccess ? cudaStreamSynchronize(0) : result;
}
CUCO_INLINE cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                                          cudaStream_t stream CUCO_DEFAULT(0)) {
  struct cudaPos origin = {0, 0, 0};
  for (size_t plane = 0; plane < extent.depth; plane++) {
    cudaError_t result =
        cudaMemset2DAsync(cuco_plane(&p, &origin, plane), p.pitch, value, extent.width, extent.height, stream);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}
CUCO_INLINE cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
  return cudaMemset3DAsync(p, value, extent, 0);
}

// What a multiprocessor of the device has left for so many blocks.
CUCO_INLINE cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* func, int numBlocks,
                                                                  int blockSize) {
  int device = 0, total = 0, reserved = 1024;
  struct cudaFuncAttributes attributes;
  (void)blockSize;
  if (numBlocks <= 0) return cudaErrorInvalidValue;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&total, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  cudaError_t result = cudaFuncGetAttributes(&attributes, func);
  if (result != cudaSuccess) return result;
  size_t each = (size_t)total / (size_t)numBlocks, taken = attributes.sharedSizeBytes + (size_t)reserved;
  *bytes = each > taken ? each - taken : 0;
  return cudaSuccess;
}
#undef CUCO_INLINE
