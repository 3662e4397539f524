
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
