// Asynchronous copies of device code (cp.async, memcpy_async, pipelines). A copy is kept until its thread waits for it, and
// moves its bytes then: who reads the target or writes the source before sees what the hardware allows, not what was meant.
#pragma once

#include "cuco/hooks.h"
#include "cuda_runtime.h"

#ifdef CUCO_CUDA_SOURCE
struct cuco_async_copy {
  char* target;
  const char* source;
  size_t bytes, given;  // The first `given` come from the source, the rest are zero.
};

extern "C" {
// `object`: the barrier to which it is bound; null: the thread's next group.
__host__ __device__ void cuco_async_begin(const cuco_async_copy* copy, const void* object);
// Ends a group of copies.
__host__ __device__ void cuco_async_commit(void);
// Takes a copy that is due, the oldest first; 0 when none is left. Due are those of all groups but the newest `prior`, or
// those that are bound to `object`.
__host__ __device__ int cuco_async_take(cuco_async_copy* copy, size_t prior, const void* object);
}

// All copies, those of no group included.
constexpr size_t kCucoAllCopies = ~(size_t)0;

CUCO_DEVICE void memcpy_async_begins(void* target, const void* source, size_t bytes, size_t given,
                                     const void* object = nullptr) {
  cuco_async_copy copy = {(char*)target, (const char*)source, bytes, given};
  if (bytes > 0) cuco_async_begin(&copy, object);
}
// By its name, the checking build knows that these accesses are the program's.
CUCO_BOTH void memcpy_async_lands(size_t prior, const void* object = nullptr) {
  cuco_async_copy copy;
  while (cuco_async_take(&copy, prior, object)) {
    __builtin_memcpy(copy.target, copy.source, copy.given);
    if (copy.given < copy.bytes) __builtin_memset(copy.target + copy.given, 0, copy.bytes - copy.given);
  }
}
// The part of a group's copy that the running thread makes.
template <class Group>
CUCO_DEVICE void memcpy_async_share(const Group& group, void* target, const void* source, size_t bytes,
                                    const void* object = nullptr) {
  size_t count = group.size(), rank = group.thread_rank();
  size_t each = (bytes / count + 15) / 16 * 16, begin = each * rank < bytes ? each * rank : bytes;
  if (each == 0) each = 16, begin = each * rank < bytes ? each * rank : bytes;
  size_t own = bytes - begin < each ? bytes - begin : each;
  memcpy_async_begins((char*)target + begin, (const char*)source + begin, own, own, object);
}
#endif
