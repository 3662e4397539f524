#include "rewrite/evidence/block_uses.h"

#include <algorithm>
#include <map>
#include <optional>

namespace cuco::rewrite {

namespace {

using model::Footprint;
using model::TracedLaunch;
using model::TracedPointer;

struct Range {
  uint64_t begin = UINT64_MAX, end = 0;
  bool written = false;

  bool empty() const { return end == 0; }
  uint64_t bytes() const { return end - begin; }
  void add(const Range& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
    written |= other.written;
  }
};
using Ranges = std::vector<Range>;

// The last pointer into the buffer that is not behind `offset`.
std::optional<size_t> pointer_before(const TracedLaunch& launch, uint32_t buffer, uint64_t offset) {
  std::optional<size_t> best;
  for (size_t i = 0; i < launch.pointers.size(); i++) {
    const TracedPointer& pointer = launch.pointers[i];
    if (pointer.buffer != buffer || pointer.offset > offset) continue;
    if (!best || pointer.offset > launch.pointers[*best].offset) best = i;
  }
  return best;
}

// What blocks touch of the buffers, block by block, by the pointer that it lies behind.
using Touched = std::map<size_t, Ranges>;

std::string add_touches(const TracedLaunch& launch, const std::set<uint32_t>& buffers, Touched& touched) {
  for (size_t i = 0; i < launch.blocks.size(); i++)
    for (const Footprint& print : launch.blocks[i].footprints) {
      if (!buffers.contains(print.buffer)) continue;
      std::optional<size_t> pointer = pointer_before(launch, print.buffer, print.begin);
      if (!pointer) return "it reads what lies before the pointers that it gets";
      Ranges& ranges = touched[*pointer];
      ranges.resize(launch.blocks.size());
      ranges[i].add({print.begin, print.end(), print.written});
    }
  return "";
}

// By the blocks' index along the dimension.
Ranges along(const TracedLaunch& launch, const Ranges& blocks, size_t dimension) {
  Ranges units(launch.grid[dimension]);
  for (size_t i = 0; i < blocks.size(); i++)
    if (!blocks[i].empty()) units[launch.blocks[i].index[dimension]].add(blocks[i]);
  return units;
}

// How many units around the one in the middle, with it, belong each to the next.
uint32_t joined_in_middle(const Ranges& units, bool (*joins)(const Range&, const Range&)) {
  size_t first = units.size() / 2, last = first;
  while (first > 0 && joins(units[first - 1], units[first])) first--;
  while (last + 1 < units.size() && joins(units[last], units[last + 1])) last++;
  return static_cast<uint32_t>(last - first + 1);
}
bool begin_alike(const Range& a, const Range& b) { return a.begin == b.begin; }
bool overlap(const Range& a, const Range& b) { return b.begin < a.end && a.begin < b.end; }

Ranges grouped(const Ranges& units, uint32_t blocks) {
  Ranges groups((units.size() + blocks - 1) / blocks);
  for (size_t i = 0; i < units.size(); i++)
    if (!units[i].empty()) groups[i / blocks].add(units[i]);
  return groups;
}

// A rule that holds for all groups, from the two in the middle: those at the ends may touch less.
std::optional<BlockUse> fit(const Ranges& groups) {
  if (groups.size() < 2) return std::nullopt;
  const Range &before = groups[groups.size() / 2 - 1], &after = groups[groups.size() / 2];
  if (before.empty() || after.empty() || after.begin <= before.begin) return std::nullopt;
  BlockUse use;
  use.stride = after.begin - before.begin;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (size_t i = 0; i < groups.size(); i++) {
    if (groups[i].empty()) continue;
    auto own = static_cast<int64_t>(i * use.stride);
    first = std::min(first, static_cast<int64_t>(groups[i].begin) - own);
    last = std::max(last, static_cast<int64_t>(groups[i].end) - own);
  }
  use.offset = first;
  use.bytes = static_cast<uint64_t>(last - first);
  return use;
}

// Pieces of many rows span nearly everything, which is not worth waiting for one by one.
bool leaves_an_eighth(uint64_t bytes, uint64_t all) { return bytes <= all - all / 8; }

// The narrowest rule, along the slowest dimension that has it; with no bytes where there is none.
BlockUse narrowest_use(const TracedLaunch& launch, const Ranges& blocks, Rules rules) {
  Range all;
  for (const Range& range : blocks) all.add(range);
  BlockUse best;
  best.bytes = all.bytes();
  for (size_t dimension = 3; dimension-- > 0;) {
    Ranges units = along(launch, blocks, dimension);
    for (uint32_t count : {1u, joined_in_middle(units, begin_alike), joined_in_middle(units, overlap)}) {
      std::optional<BlockUse> use = fit(grouped(units, count));
      if (!use || use->bytes >= best.bytes) continue;
      best = *use;
      best.dimension = static_cast<int>(dimension), best.blocks = count;
    }
  }
  bool worth_it = rules == Rules::All || leaves_an_eighth(best.bytes, all.bytes());
  if (best.stride == 0 || !worth_it) best = BlockUse{};
  best.writes = all.written;
  return best;
}

}  // namespace

LaunchUses block_uses(const TracedLaunch& launch, const std::set<uint32_t>& buffers, Rules rules) {
  Touched touched;
  LaunchUses all{add_touches(launch, buffers, touched), {}};
  if (!all.obstacle.empty()) return all;
  for (const auto& [index, ranges] : touched) {
    const TracedPointer& pointer = launch.pointers[index];
    BlockUse use = narrowest_use(launch, ranges, rules);
    use.parameter = pointer.parameter, use.field = pointer.field;
    if (use.bytes > 0) use.offset -= static_cast<int64_t>(pointer.offset);
    all.uses.push_back(use);
  }
  return all;
}

}  // namespace cuco::rewrite
