
// By all threads of a block: what it writes of a part, which a peer gets at `to`. Pieces at its ends may be cut.
__device__ inline void copy_within(char* to, const FedPart& part, const SentTiles& tiles, const uint3& block) {
  const ptrdiff_t first = tiles.of(block.x, block.y, block.z) - part.begin, bytes = (ptrdiff_t)part.message.bytes;
  auto copy_piece = [&](ptrdiff_t piece) {
    const ptrdiff_t at = first + piece * tiles.stride, begin = at > 0 ? at : 0;
    const ptrdiff_t end = at + tiles.bytes < bytes ? at + tiles.bytes : bytes;
    if (begin < end) copy_runs(to, part.begin, {(size_t)begin, (size_t)(end - begin), (size_t)(end - begin), 1});
  };
  ptrdiff_t begin = first < 0 ? (tiles.stride - 1 - first) / tiles.stride : 0;
  ptrdiff_t end = bytes - tiles.bytes < first ? 0 : (bytes - tiles.bytes - first) / tiles.stride + 1;
  if (end > tiles.count) end = tiles.count;
  if (begin > 0 && begin <= tiles.count) copy_piece(begin - 1);
  if (begin < end)
    copy_runs(to, part.begin, {(size_t)(first + begin * tiles.stride), (size_t)tiles.bytes, (size_t)tiles.stride,
                               (size_t)(end - begin)});
  if (end >= begin && end < tiles.count) copy_piece(end);
}
