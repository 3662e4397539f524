#include "rewrite/consume_facts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "rewrite/slice_facts.h"

namespace cuco::rewrite {

namespace {

using model::Footprint;
using model::TracedBlock;
using model::TracedLaunch;
using model::TracedPointer;
using model::TracedStep;

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

std::set<uint32_t> received_buffers(const std::vector<TracedStep>& steps) {
  std::set<uint32_t> buffers;
  for (const TracedStep& step : steps)
    if (!step.is_launch && step.call.receive.used) buffers.insert(step.call.receive.buffer);
  return buffers;
}

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

// What blocks touch of received buffers, block by block, by the pointer that it lies behind.
using Touched = std::map<size_t, Ranges>;

std::string add_touches(const TracedLaunch& launch, const std::set<uint32_t>& received, Touched& touched) {
  for (size_t i = 0; i < launch.blocks.size(); i++)
    for (const Footprint& print : launch.blocks[i].footprints) {
      if (!received.contains(print.buffer)) continue;
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

// The narrowest rule, along the slowest dimension that has it; with no bytes where all of them span nearly everything.
BlockUse narrowest_use(const TracedLaunch& launch, const Ranges& blocks) {
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
  if (best.stride == 0 || !leaves_an_eighth(best.bytes, all.bytes())) best = BlockUse{};
  best.writes = all.written;
  return best;
}

BlockShape shape_of(const TracedLaunch& launch, const Touched& touched) {
  BlockShape shape{launch.grid, launch.block, {}};
  for (const auto& [index, ranges] : touched) {
    const TracedPointer& pointer = launch.pointers[index];
    BlockUse use = narrowest_use(launch, ranges);
    use.parameter = pointer.parameter, use.field = pointer.field;
    if (use.bytes > 0) use.offset -= static_cast<int64_t>(pointer.offset);
    shape.uses.push_back(use);
  }
  return shape;
}

// What either touches.
void widen(BlockUse& use, const BlockUse& other) {
  bool alike = use.bytes > 0 && other.bytes > 0 && use.dimension == other.dimension && use.blocks == other.blocks &&
               use.stride == other.stride;
  use.writes |= other.writes;
  if (!alike) {
    use = {.parameter = use.parameter, .field = use.field, .writes = use.writes};
    return;
  }
  int64_t end =
      std::max(use.offset + static_cast<int64_t>(use.bytes), other.offset + static_cast<int64_t>(other.bytes));
  use.offset = std::min(use.offset, other.offset);
  use.bytes = static_cast<uint64_t>(end - use.offset);
}

void add_shape(std::vector<BlockShape>& shapes, const BlockShape& shape) {
  auto known = std::find_if(shapes.begin(), shapes.end(),
                            [&](const BlockShape& one) { return one.grid == shape.grid && one.block == shape.block; });
  if (known == shapes.end()) return shapes.push_back(shape);
  for (const BlockUse& use : shape.uses) {
    auto own = std::find_if(known->uses.begin(), known->uses.end(), [&](const BlockUse& one) {
      return one.parameter == use.parameter && one.field == use.field;
    });
    if (own == known->uses.end())
      known->uses.push_back(use);
    else
      widen(*own, use);
  }
}

std::string obstacle_in(const TracedLaunch& launch) {
  for (const TracedBlock& block : launch.blocks) {
    if (block.reaches_elsewhere) return "it writes memory that is no buffer of its device";
    if (!block.updated.empty()) return "its blocks change memory by atomic operations";
  }
  return "";
}

void add_launch(const TracedLaunch& launch, const std::set<uint32_t>& received, ConsumeFacts& facts) {
  Touched touched;
  std::string obstacle = add_touches(launch, received, touched);
  if (touched.empty() && obstacle.empty()) return;
  facts.reads_received = true;
  facts.kernel = launch.kernel;
  if (obstacle.empty()) obstacle = obstacle_in(launch);
  if (facts.obstacle.empty()) facts.obstacle = obstacle;
  if (facts.obstacle.empty()) add_shape(facts.shapes, shape_of(launch, touched));
}

bool waits_for_less(const BlockShape& shape) {
  return std::any_of(shape.uses.begin(), shape.uses.end(), [](const BlockUse& use) { return use.bytes > 0; });
}

// One run says which bytes blocks read only where other runs say the same.
std::string varying_obstacle(const model::AccessTrace& trace, const std::string& place) {
  for (const model::VaryingPlace& one : trace.varying_received)
    if (same_place(one.place, place)) return concat("its blocks read other bytes ", one.difference);
  return "";
}

}  // namespace

ConsumeFacts consume_facts(const model::AccessTrace& trace, const std::string& place) {
  ConsumeFacts facts;
  for (const std::vector<TracedStep>& steps : trace.ranks) {
    std::set<uint32_t> received = received_buffers(steps);
    for (const TracedStep& step : steps)
      if (step.is_launch && same_place(step.place, place)) add_launch(step.launch, received, facts);
  }
  if (!facts.reads_received || !facts.obstacle.empty()) return facts;
  facts.obstacle = varying_obstacle(trace, place);
  std::erase_if(facts.shapes,
                [](const BlockShape& shape) { return !waits_for_less(shape) || shape.uses.size() > kBlockUsesMax; });
  if (facts.obstacle.empty() && facts.shapes.empty()) facts.obstacle = "every block of it reads all that it gets";
  return facts;
}

}  // namespace cuco::rewrite
