// What kernels do with blocks of any shape: count those that are done, and copy.
#pragma once

#include <cuco/comm/path.cuh>
#include <cuda/atomic>

namespace cuco::comm {

using BlockCount = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

__device__ inline unsigned thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }

// Of the blocks with one index along a dimension, number `rest`.
__device__ inline uint3 block_at(const dim3& grid, int dimension, unsigned index, unsigned rest) {
  if (dimension == 0) return {index, rest % grid.y, rest / grid.y};
  if (dimension == 1) return {rest % grid.x, index, rest / grid.x};
  return {rest % grid.x, rest / grid.x, index};
}
__device__ inline unsigned linear_block() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }

// By one thread of a block, for all that the block did: whether it is the last of `count` to come here.
__device__ inline bool is_last_of(uint32_t& counter, unsigned count) {
  __threadfence_system();
  return BlockCount(counter).fetch_add(1, cuda::memory_order_acq_rel) + 1 == count;
}

// Bytes of a message: `count` runs of `bytes`, `stride` apart.
struct Runs {
  size_t begin, bytes, stride, count;
};

// By threads of a block, each from its own place on in steps of equal size.
template <typename Word>
__device__ void copy_steps(char* to, const char* from, size_t begin, size_t end, size_t step) {
  const char* last = from + end;
  from += begin, to += begin;
#pragma unroll 4
  for (; from < last; from += step, to += step) *(Word*)to = *(const Word*)from;
}
// By all threads of a block, in words of one size. Where runs are short a thread stays in its column.
template <typename Word>
__device__ void copy_words(char* to, const char* from, const Runs& runs) {
  const unsigned width = runs.bytes / sizeof(Word), rows_at_once = block_threads() / width, thread = thread_in_block();
  if (runs.count > 1 && rows_at_once > 1) {
    const unsigned row = thread / width;
    size_t begin = row * runs.stride + (thread - row * width) * sizeof(Word);
    if (row < rows_at_once) copy_steps<Word>(to, from, begin, runs.count * runs.stride, rows_at_once * runs.stride);
    return;
  }
  for (size_t row = 0; row < runs.count; row++)
    copy_steps<Word>(to + row * runs.stride, from + row * runs.stride, thread * sizeof(Word), runs.bytes,
                     block_threads() * sizeof(Word));
}
__device__ inline void copy_runs(char* to, const char* from, const Runs& runs) {
  to += runs.begin, from += runs.begin;
  uintptr_t places = (uintptr_t)to | (uintptr_t)from | runs.bytes | runs.stride;
  if (runs.bytes == 0) return;
  if (places % 16 == 0)
    copy_words<uint4>(to, from, runs);
  else if (places % 4 == 0)
    copy_words<uint32_t>(to, from, runs);
  else
    copy_words<char>(to, from, runs);
}

}  // namespace cuco::comm
