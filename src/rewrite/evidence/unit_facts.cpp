#include "rewrite/evidence/unit_facts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace cuco::rewrite {

namespace {

using model::Footprint;
using model::TracedBlock;
using model::TracedLaunch;
using model::TracedPointer;

// What the units touch of one buffer in one way, by unit; empty where a unit does not.
struct Range {
  uint64_t begin = UINT64_MAX, end = 0;
};
using Ranges = std::vector<Range>;
using Touched = std::map<std::pair<uint32_t, bool>, Ranges>;  // By buffer and whether it is written.

Touched touched_by_units(const TracedLaunch& launch, size_t dimension) {
  Touched touched;
  for (const TracedBlock& block : launch.blocks)
    for (const Footprint& print : block.footprints) {
      Ranges& ranges = touched[{print.buffer, print.written}];
      ranges.resize(launch.grid[dimension]);
      Range& range = ranges[block.index[dimension]];
      range.begin = std::min(range.begin, print.begin);
      range.end = std::max(range.end, print.end());
    }
  return touched;
}

// From one unit in the middle to the next: those at the ends may touch less.
std::optional<uint64_t> stride_of(const Ranges& ranges) {
  size_t middle = ranges.size() / 2;
  const Range &before = ranges[middle - 1], &after = ranges[middle];
  if (before.end == 0 || after.end == 0 || after.begin <= before.begin) return std::nullopt;
  return after.begin - before.begin;
}

// A use whose offset counts from the beginning of the buffer, or nothing when units follow no rule.
std::optional<UnitUse> fit(const Ranges& ranges) {
  std::optional<uint64_t> stride = stride_of(ranges);
  if (!stride) return std::nullopt;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (size_t i = 0; i < ranges.size(); i++) {
    if (ranges[i].end == 0) continue;
    auto own = static_cast<int64_t>(i * *stride);
    first = std::min(first, static_cast<int64_t>(ranges[i].begin) - own);
    last = std::max(last, static_cast<int64_t>(ranges[i].end) - own);
  }
  return UnitUse{0, 0, false, false, first, *stride, static_cast<uint64_t>(last - first)};
}

// The last pointer into the buffer that is not behind `offset`.
const TracedPointer* pointer_before(const TracedLaunch& launch, uint32_t buffer, uint64_t offset) {
  const TracedPointer* best = nullptr;
  for (const TracedPointer& pointer : launch.pointers)
    if (pointer.buffer == buffer && pointer.offset <= offset && (!best || pointer.offset > best->offset))
      best = &pointer;
  return best;
}

uint64_t begin_of(const Ranges& ranges) {
  uint64_t begin = UINT64_MAX;
  for (const Range& range : ranges) begin = std::min(begin, range.begin);
  return begin;
}

// The use of one buffer; nothing when it is not known by its pointers, or written by units that are not apart.
std::optional<UnitUse> use_of(const TracedLaunch& launch, uint32_t buffer, bool writes, const Ranges& ranges) {
  std::optional<UnitUse> use = fit(ranges);
  if (writes && (!use || use->bytes > use->stride)) return std::nullopt;
  if (!use) use = UnitUse{0, 0, false, true, 0, 0, 0};
  const TracedPointer* pointer = pointer_before(launch, buffer, begin_of(ranges));
  if (!pointer) return std::nullopt;
  use->parameter = pointer->parameter, use->field = pointer->field, use->writes = writes;
  if (!use->anywhere) use->offset -= static_cast<int64_t>(pointer->offset);
  return use;
}

std::optional<UnitShape> shape_along(const TracedLaunch& launch, size_t dimension) {
  UnitShape shape{static_cast<int>(dimension), launch.grid, launch.block, {}};
  shape.grid[dimension] = 0;
  bool writes = false;
  for (const auto& [what, ranges] : touched_by_units(launch, dimension)) {
    std::optional<UnitUse> use = use_of(launch, what.first, what.second, ranges);
    if (!use) return std::nullopt;
    shape.uses.push_back(*use);
    writes |= use->writes;
  }
  if (!writes) return std::nullopt;
  sort_uses(shape);
  return shape;
}

}  // namespace

UnitFacts unit_facts(const TracedLaunch& launch) {
  auto any = [&](auto is) { return std::any_of(launch.blocks.begin(), launch.blocks.end(), is); };
  if (any([](const TracedBlock& block) { return block.reaches_elsewhere; }))
    return {"it writes memory that is no buffer of its device", {}};
  if (any([](const TracedBlock& block) { return !block.updated.empty(); }))
    return {"its blocks change memory by atomic operations", {}};
  for (size_t dimension = 3; dimension-- > 0;)
    if (launch.grid[dimension] > 1)
      if (std::optional<UnitShape> shape = shape_along(launch, dimension)) return {"", std::move(*shape)};
  return {"its blocks do not write one behind the other along a dimension of its grid", {}};
}

void sort_uses(UnitShape& shape) {
  std::sort(shape.uses.begin(), shape.uses.end(), [](const UnitUse& a, const UnitUse& b) {
    return std::tie(a.parameter, a.field, a.writes, a.offset) < std::tie(b.parameter, b.field, b.writes, b.offset);
  });
}

bool merge(UnitShape& shape, const UnitShape& other) {
  if (shape.dimension != other.dimension) return false;
  for (const UnitUse& use : other.uses) {
    auto known = std::find_if(shape.uses.begin(), shape.uses.end(), [&](const UnitUse& one) {
      return one.parameter == use.parameter && one.field == use.field && one.writes == use.writes;
    });
    if (known == shape.uses.end())
      shape.uses.push_back(use);
    else if (*known == use)
      continue;
    else if (use.writes)
      return false;
    else
      *known = {use.parameter, use.field, false, true, 0, 0, 0};
  }
  sort_uses(shape);
  shape.grain = std::max(shape.grain, other.grain);
  return true;
}

}  // namespace cuco::rewrite
