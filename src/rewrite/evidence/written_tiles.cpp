#include <algorithm>

#include "rewrite/evidence/send_facts.h"

namespace cuco::rewrite {

namespace {

using model::Footprint;
using model::TracedBlock;
using model::TracedLaunch;

constexpr size_t kPiecesMax = size_t{1} << 20;  // Of all blocks, that are looked at one by one.

// What a block writes of a buffer; `only` where it is one footprint that is known to the byte.
struct Written {
  const TracedBlock* block;
  const Footprint* only;
  int64_t begin, end;
};

std::vector<Written> all_written(const TracedLaunch& launch, uint32_t buffer) {
  std::vector<Written> all;
  for (const TracedBlock& block : launch.blocks) {
    Written written{&block, nullptr, INT64_MAX, 0};
    size_t count = 0;
    for (const Footprint& print : block.footprints) {
      if (!print.written || print.buffer != buffer) continue;
      written.only = ++count == 1 && print.exact ? &print : nullptr;
      written.begin = std::min(written.begin, static_cast<int64_t>(print.begin));
      written.end = std::max(written.end, static_cast<int64_t>(print.end()));
    }
    if (count > 0) all.push_back(written);
  }
  return all;
}

int64_t begin_of(const WrittenTiles& tiles, const std::array<uint32_t, 3>& index) {
  int64_t begin = tiles.offset;
  for (size_t i = 0; i < 3; i++) begin += static_cast<int64_t>(index[i]) * tiles.steps[i];
  return begin;
}

const Written* written_by(const std::vector<Written>& all, const std::array<uint32_t, 3>& index) {
  auto found = std::find_if(all.begin(), all.end(), [&](const Written& one) { return one.block->index == index; });
  return found == all.end() ? nullptr : &*found;
}

// From the first block that writes to its neighbours; 0 along dimensions that are not wanted, or where there is none.
std::array<int64_t, 3> steps_of(const std::vector<Written>& all, unsigned dimensions) {
  std::array<int64_t, 3> steps = {};
  for (size_t i = 0; i < 3; i++) {
    std::array<uint32_t, 3> next = all.front().block->index;
    next[i]++;
    const Written* neighbour = dimensions >> i & 1 ? written_by(all, next) : nullptr;
    if (neighbour) steps[i] = neighbour->begin - all.front().begin;
  }
  return steps;
}

// The run of bytes that holds whatever blocks write, with these steps from one block to the next.
WrittenTiles run_with(const std::vector<Written>& all, const std::array<int64_t, 3>& steps) {
  WrittenTiles tiles{0, 0, 0, steps, 0, 0, 1, 0};
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Written& one : all) {
    int64_t own = begin_of(tiles, one.block->index);
    first = std::min(first, one.begin - own);
    last = std::max(last, one.end - own);
  }
  tiles.offset = first;
  tiles.bytes = tiles.stride = static_cast<uint64_t>(last - first);
  return tiles;
}

// Blocks that are not numbered in the order of memory along some dimension count as one along it.
WrittenTiles shortest_run(const std::vector<Written>& all) {
  WrittenTiles best = run_with(all, {});
  for (unsigned dimensions = 1; dimensions < 8; dimensions++)
    if (WrittenTiles one = run_with(all, steps_of(all, dimensions)); one.bytes < best.bytes) best = one;
  return best;
}

// Pieces at even distances, the same of all blocks; those at the ends of a buffer may have less.
WrittenTiles even_pieces(const std::vector<Written>& all) {
  WrittenTiles tiles{0, 0, 0, steps_of(all, 7), 0, 0, 0, 0};
  for (const Written& one : all) {
    if (!one.only) return {};
    tiles.bytes = std::max(tiles.bytes, one.only->piece_bytes);
    tiles.count = std::max(tiles.count, one.only->count);
    if (one.only->count > 1) tiles.stride = one.only->stride;
  }
  if (tiles.count == 1) tiles.stride = tiles.bytes;
  tiles.offset = all.front().begin - begin_of(tiles, all.front().block->index);
  for (const Written& one : all) {
    bool fits =
        one.begin == begin_of(tiles, one.block->index) && (one.only->count == 1 || one.only->stride == tiles.stride);
    if (!fits) return {};
  }
  return tiles;
}

// How far from the offset on all bytes have one block each.
uint64_t filled_by(const WrittenTiles& tiles, const TracedLaunch& launch) {
  if (launch.blocks.size() * tiles.count > kPiecesMax) return 0;
  std::vector<int64_t> begins;
  for (const TracedBlock& block : launch.blocks)
    for (uint64_t i = 0; i < tiles.count; i++)
      begins.push_back(begin_of(tiles, block.index) + static_cast<int64_t>(i * tiles.stride));
  std::sort(begins.begin(), begins.end());
  for (size_t i = 0; i < begins.size(); i++)
    if (begins[i] != tiles.offset + static_cast<int64_t>(i * tiles.bytes)) return 0;
  return begins.size() * tiles.bytes;
}

}  // namespace

WrittenTiles written_tiles(const TracedLaunch& launch, uint32_t buffer) {
  std::vector<Written> all = all_written(launch, buffer);
  if (all.empty()) return {0, 0, 0, {}, 0, 0, 0, 0};
  WrittenTiles tiles = even_pieces(all);
  if (tiles.bytes > 0) tiles.filled = filled_by(tiles, launch);
  // Pieces that blocks share say no more than a run, and cost more.
  return tiles.filled > 0 ? tiles : shortest_run(all);
}

}  // namespace cuco::rewrite
