
// Bytes of a message: `count` runs of `bytes`, `stride` apart.
struct Runs {
  size_t begin, bytes, stride, count;
};
__device__ inline Runs runs_of(const Fusing& fusing, int part, size_t bytes) {
  size_t first = fusing.cuts[part], units = fusing.cuts[part + 1] - first;
  if (fusing.piece_bytes == 0) return {first * (bytes / fusing.units), units * (bytes / fusing.units), 0, 1};
  size_t row = fusing.units * fusing.piece_bytes;
  return {first * fusing.piece_bytes, units * fusing.piece_bytes, row, bytes / row};
}
__device__ inline Runs tile_of(const Tiles& tiles, const uint3& block) {
  size_t begin = block.x * tiles.steps[0] + block.y * tiles.steps[1] + block.z * tiles.steps[2];
  return {begin, tiles.bytes, tiles.stride, tiles.count};
}

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

__device__ inline Message part_of(Message message, int part) {
  message.number += part;
  return message;
}

// Where the bytes of messages go that near peers get by stores.
struct Targets {
  int count;
  char* to[kMessages];
  const char* from[kMessages];
};
// By all threads of a block, which have seen the targets.
__device__ inline void store(const Targets& targets, const Runs& runs) {
  for (int i = 0; i < targets.count; i++) copy_runs(targets.to[i], targets.from[i], runs);
  __syncthreads();
}

// Whether some peers are reached by stores, and some over the network.
template <typename Path>
constexpr bool kNear = true;
template <typename Path>
constexpr bool kFar = false;
