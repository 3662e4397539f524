// The primitive pipeline calls: copies complete at once.
#pragma once

#include "cuda_runtime.h"

#ifdef CUCO_CUDA_SOURCE
CUCO_DEVICE void __pipeline_memcpy_async(void* target, const void* source, size_t bytes, size_t zfill = 0) {
  __builtin_memcpy(target, source, bytes - zfill);
  __builtin_memset((char*)target + bytes - zfill, 0, zfill);
}
CUCO_DEVICE void __pipeline_commit() {}
CUCO_DEVICE void __pipeline_wait_prior(size_t) {}
#endif
