// What buffers hold before the region is called: inputs drawn from the key, the rest poison. Large device buffers are
// filled by kernels, which give the same bits as the host: built without contraction of multiply and add.
#pragma once

#include <cuda_runtime.h>

#include <cstring>

#include "cuco/draw.h"
#include "cuco/harness_abi.h"

namespace cuco::runner {

constexpr int kPoison = 0xff;  // NaN in every floating-point format.

inline Element element_of(const cuco_buffer& buffer) { return static_cast<Element>(buffer.element); }
inline uint64_t bytes_of(const cuco_buffer& buffer) { return buffer.count * cuco::bytes_of(element_of(buffer)); }

inline bool is_on_device(const void* pointer) {
  cudaPointerAttributes attributes = {};
  bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
  if (!known) (void)cudaGetLastError();
  return known && (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged);
}

#ifdef __CUDACC__

constexpr int kThreads = 256, kBlocks = 1024;

__device__ inline uint64_t first_index() { return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline uint64_t index_step() { return static_cast<uint64_t>(gridDim.x) * blockDim.x; }

__global__ void draw_elements(Element element, Distribution distribution, uint64_t base, void* memory, uint64_t count) {
  for (uint64_t i = first_index(); i < count; i += index_step())
    store_element(element, memory, i, draw(distribution, base, i));
}

__global__ void count_poison(const unsigned char* memory, uint32_t element_bytes, uint64_t count,
                             unsigned long long* found) {
  for (uint64_t i = first_index(); i < count; i += index_step()) {
    bool is_poison = true;
    for (uint32_t b = 0; b < element_bytes; b++) is_poison = is_poison && memory[i * element_bytes + b] == kPoison;
    if (is_poison) atomicAdd(found, 1ull);
  }
}

inline void draw_on_device(const cuco_buffer& buffer, const Distribution& distribution, const DrawKey& key) {
  draw_elements<<<kBlocks, kThreads>>>(element_of(buffer), distribution, draw_detail::base_of(key), buffer.pointer,
                                       buffer.count);
}

inline uint64_t poison_on_device(const cuco_buffer& buffer) {
  unsigned long long* found = nullptr;
  unsigned long long count = 0;
  if (cudaMalloc(&found, sizeof *found) != cudaSuccess) return 0;
  cudaMemset(found, 0, sizeof *found);
  count_poison<<<kBlocks, kThreads>>>(static_cast<const unsigned char*>(buffer.pointer),
                                      cuco::bytes_of(element_of(buffer)), buffer.count, found);
  cudaMemcpy(&count, found, sizeof count, cudaMemcpyDefault);
  cudaFree(found);
  return count;
}

#else

// Without a compiler of kernels all memory is the host's: tests of the runner on a machine without a GPU.
inline void draw_on_device(const cuco_buffer&, const Distribution&, const DrawKey&) {}
inline uint64_t poison_on_device(const cuco_buffer&) { return 0; }

#endif

inline void poison(const cuco_buffer& buffer) {
  if (is_on_device(buffer.pointer))
    cudaMemset(buffer.pointer, kPoison, bytes_of(buffer));
  else
    std::memset(buffer.pointer, kPoison, bytes_of(buffer));
}

inline void draw_input(const cuco_buffer& buffer, const DrawKey& key) {
  Distribution distribution = {static_cast<Distribution::Kind>(buffer.distribution), buffer.a, buffer.b};
  if (is_on_device(buffer.pointer))
    draw_on_device(buffer, distribution, key);
  else
    draw_all(element_of(buffer), distribution, key, buffer.pointer, buffer.count);
}

// Of all its elements. All bits set is also the integer -1, so only floating-point elements are counted.
inline uint64_t unwritten_count(const cuco_buffer& buffer) {
  if (!is_floating(element_of(buffer)) || buffer.count == 0) return 0;
  if (is_on_device(buffer.pointer)) return poison_on_device(buffer);
  uint32_t bytes = cuco::bytes_of(element_of(buffer));
  unsigned char poisoned[8];
  std::memset(poisoned, kPoison, sizeof poisoned);
  uint64_t count = 0;
  for (uint64_t i = 0; i < buffer.count; i++)
    count += std::memcmp(static_cast<const char*>(buffer.pointer) + i * bytes, poisoned, bytes) == 0;
  return count;
}

}  // namespace cuco::runner
