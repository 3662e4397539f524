
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

// By all threads of a block, each warp a piece of a run at a time.
__device__ inline void copy_runs(char* to, const char* from, const Runs& runs) {
  constexpr unsigned kLanes = 32;
  unsigned thread = thread_in_block(), lanes = min(kLanes, block_threads()), warps = block_threads() / lanes;
  if (runs.count == 1) lanes = warps * lanes, warps = 1;
  unsigned warp = thread / lanes, lane = thread % lanes;
  bool wide = (((uintptr_t)(to + runs.begin) | (uintptr_t)(from + runs.begin) | runs.stride | runs.bytes) & 15) == 0;
  for (size_t run = warp; run < runs.count && warp < warps; run += warps) {
    size_t begin = runs.begin + run * runs.stride;
    if (wide) {
#pragma unroll 4
      for (unsigned i = lane; i < runs.bytes / 16; i += lanes)
        ((uint4*)(to + begin))[i] = ((const uint4*)(from + begin))[i];
    } else {
      for (size_t i = lane; i < runs.bytes; i += lanes) to[begin + i] = from[begin + i];
    }
  }
}

__device__ inline Message part_of(Message message, int part) {
  message.number += part;
  return message;
}
