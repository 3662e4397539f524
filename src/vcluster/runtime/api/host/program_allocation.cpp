// malloc and its kin, for the program and for the runner. What the program allocates, also through a library that it
// calls, comes from the heap of its process; what the runner allocates never does.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/grid.h"

#ifndef __SANITIZE_ADDRESS__  // Which has an allocator of its own.

using namespace cuco::vcluster;

extern "C" {

// The image sets it around its calls of libraries.
bool cuco_in_library = false;

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
extern char __executable_start, etext;
}

namespace {

bool is_of_runner(const void* code) { return code >= &__executable_start && code < &etext; }

// Where what `caller` asks for belongs; null: in the runner's heap.
ProgramHeap* heap_for(const void* caller) {
  if (!cuco_in_library || is_of_runner(caller)) return nullptr;
  if (current_block) return &current_block->grid().launch().process->heap;
  return world && world->current_host ? &world->current_host->process->heap : nullptr;
}

void* allocate(size_t bytes, size_t alignment, const void* caller) {
  ProgramHeap* heap = heap_for(caller);
  if (heap) return heap->allocate(bytes, alignment);
  return alignment <= ProgramHeap::kAlignment ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
}

void* allocate_or_throw(size_t bytes, size_t alignment, const void* caller) {
  void* memory = allocate(bytes == 0 ? 1 : bytes, alignment, caller);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void release(void* memory) {
  ProgramHeap* heap = heap_at(memory);
  if (!heap) return __libc_free(memory);
  if (!heap->free(memory)) std::abort();
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) { return allocate(bytes, ProgramHeap::kAlignment, __builtin_return_address(0)); }
void* calloc(size_t count, size_t each) {
  ProgramHeap* heap = heap_for(__builtin_return_address(0));
  if (!heap) return __libc_calloc(count, each);
  size_t bytes = 0;
  void* memory = __builtin_mul_overflow(count, each, &bytes) ? nullptr : heap->allocate(bytes);
  if (memory && bytes < ProgramHeap::kFreshBytes) std::memset(memory, 0, bytes);
  return memory;
}
void* realloc(void* memory, size_t bytes) {
  if (!memory) return allocate(bytes, ProgramHeap::kAlignment, __builtin_return_address(0));
  ProgramHeap* heap = heap_at(memory);
  return heap ? heap->resize(memory, bytes) : __libc_realloc(memory, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return allocate(bytes, alignment, __builtin_return_address(0)); }
void* memalign(size_t alignment, size_t bytes) { return allocate(bytes, alignment, __builtin_return_address(0)); }
int posix_memalign(void** out, size_t alignment, size_t bytes) {
  *out = allocate(bytes, alignment, __builtin_return_address(0));
  return *out ? 0 : ENOMEM;
}
void free(void* memory) { release(memory); }
}

void* operator new(size_t bytes) {
  return allocate_or_throw(bytes, ProgramHeap::kAlignment, __builtin_return_address(0));
}
void* operator new[](size_t bytes) {
  return allocate_or_throw(bytes, ProgramHeap::kAlignment, __builtin_return_address(0));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { release(memory); }

#else

extern "C" {
bool cuco_in_library = false;
}

#endif
