// The primitive pipeline calls.
#pragma once

#include "cuco/async_copy.h"
#include "cuda_runtime.h"

#ifdef CUCO_CUDA_SOURCE
CUCO_DEVICE void __pipeline_memcpy_async(void* target, const void* source, size_t bytes, size_t zfill = 0) {
  memcpy_async_begins(target, source, bytes, bytes - zfill);
}
CUCO_DEVICE void __pipeline_commit() { cuco_async_commit(); }
CUCO_DEVICE void __pipeline_wait_prior(size_t prior) { memcpy_async_lands(prior); }
#endif
