
__device__ inline Runs runs_of(const Fusing& fusing, int part, size_t bytes) {
  size_t first = fusing.cuts[part], units = fusing.cuts[part + 1] - first;
  if (fusing.piece_bytes == 0) return {first * (bytes / fusing.units), units * (bytes / fusing.units), 0, 1};
  size_t row = fusing.units * fusing.piece_bytes;
  return {first * fusing.piece_bytes, units * fusing.piece_bytes, row, bytes / row};
}
__device__ inline Runs tile_of(const Tiles& tiles, const uint3& block) {
  int64_t begin = block.x * tiles.steps[0] + block.y * tiles.steps[1] + block.z * tiles.steps[2];
  return {(size_t)begin, (size_t)tiles.bytes, (size_t)tiles.stride, (size_t)tiles.count};
}

__device__ inline Message part_of(Message message, int part) {
  message.number += part;
  return message;
}

// Where the bytes of messages go that near peers get by stores.
struct Targets {
  int count;
  char* to[kMessages + 1];
  const char* from[kMessages + 1];
};
// By all threads of a block, which have seen the targets.
__device__ inline void store(const Targets& targets, const Runs& runs) {
  for (int i = 0; i < targets.count; i++) copy_runs(targets.to[i], targets.from[i], runs);
  __syncthreads();
}

// The share of one of `count` blocks: rows, or, where they are too few, a piece of each of them.
__device__ inline Runs share_of(Runs runs, unsigned place, unsigned count) {
  constexpr size_t kGrain = 64;  // Bytes; a multiple of what a thread moves at once.
  if (runs.count >= count) {
    size_t first = runs.count * place / count, end = runs.count * (place + 1) / count;
    return {runs.begin + first * runs.stride, runs.bytes, runs.stride, end - first};
  }
  size_t grains = (runs.bytes + kGrain - 1) / kGrain, first = grains * place / count * kGrain;
  size_t end = grains * (place + 1) / count * kGrain;
  return {runs.begin + first, (end < runs.bytes ? end : runs.bytes) - first, runs.stride, runs.count};
}

// Whether some peers are reached by stores, and some over the network.
template <typename Path>
constexpr bool kNear = true;
template <typename Path>
constexpr bool kFar = false;
