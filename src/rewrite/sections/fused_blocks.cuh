
// Blocks of any shape.
__device__ inline unsigned thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }

// The block that the running one stands for: units one after the other, so that parts are done one after the other.
__device__ inline uint3 block_in_order(const Fusing& fusing) {
  unsigned linear = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned unit = linear / (grid_blocks() / fusing.units), rest = linear % (grid_blocks() / fusing.units);
  if (fusing.dimension == 0) return {unit, rest % gridDim.y, rest / gridDim.y};
  if (fusing.dimension == 1) return {rest % gridDim.x, unit, rest / gridDim.x};
  return {rest % gridDim.x, rest / gridDim.x, unit};
}

// The bytes of a message that a part has: `count` runs of `bytes`, `stride` apart.
struct Runs {
  size_t begin, bytes, stride, count;
};
__device__ inline Runs runs_of(const Fusing& fusing, int part, size_t bytes) {
  size_t first = fusing.cuts[part], units = fusing.cuts[part + 1] - first;
  if (fusing.piece_bytes == 0) return {first * (bytes / fusing.units), units * (bytes / fusing.units), 0, 1};
  size_t row = fusing.units * fusing.piece_bytes;
  return {first * fusing.piece_bytes, units * fusing.piece_bytes, row, bytes / row};
}

// By all threads of a block.
__device__ inline void copy_bytes_of_block(char* to, const char* from, size_t bytes) {
  size_t wide = (((uintptr_t)to | (uintptr_t)from) & 15) == 0 ? bytes / 16 : 0;
  for (size_t i = thread_in_block(); i < wide; i += block_threads()) ((uint4*)to)[i] = ((const uint4*)from)[i];
  for (size_t i = wide * 16 + thread_in_block(); i < bytes; i += block_threads()) to[i] = from[i];
}
// By all threads of a block, in words of one size. A thread steps on without dividing.
template <typename Word>
__device__ void copy_words(char* to, const char* from, const Runs& runs) {
  size_t width = runs.bytes / sizeof(Word), threads = block_threads();
  size_t row = thread_in_block() / width, column = thread_in_block() % width;
  const size_t rows_on = threads / width, columns_on = threads % width;
  while (row < runs.count) {
    size_t begin = runs.begin + row * runs.stride;
    ((Word*)(to + begin))[column] = ((const Word*)(from + begin))[column];
    row += rows_on, column += columns_on;
    if (column >= width) row++, column -= width;
  }
}
__device__ inline void copy_runs(char* to, const char* from, const Runs& runs) {
  uintptr_t places = (uintptr_t)to | (uintptr_t)from | runs.begin | runs.bytes | runs.stride;
  if (runs.bytes == 0) return;
  if (runs.count == 1)
    copy_bytes_of_block(to + runs.begin, from + runs.begin, runs.bytes);
  else if (places % 16 == 0)
    copy_words<uint4>(to, from, runs);
  else
    copy_words<char>(to, from, runs);
}

__device__ inline Message part_of(Message message, int part) {
  message.number += part;
  return message;
}
