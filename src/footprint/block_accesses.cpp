#include "footprint/block_accesses.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cuco::footprint {

namespace {

using model::Footprint;
using model::TracedBlock;
using model::TracedLaunch;
using model::TracedPointer;

struct Span {
  int64_t begin = INT64_MAX, end = 0;
  bool written = false;

  bool empty() const { return end == 0; }
  int64_t bytes() const { return end - begin; }
  void add(const Span& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
    written |= other.written;
  }
};
using Spans = std::vector<Span>;

Span span_of(const Footprint& print) {
  return {static_cast<int64_t>(print.begin), static_cast<int64_t>(print.end()), print.written};
}

const TracedPointer* pointer_before(const TracedLaunch& launch, uint32_t buffer, int64_t offset) {
  const TracedPointer* best = nullptr;
  for (const TracedPointer& pointer : launch.pointers)
    if (pointer.buffer == buffer && static_cast<int64_t>(pointer.offset) <= offset &&
        (!best || pointer.offset > best->offset))
      best = &pointer;
  return best;
}

void count_from(const TracedPointer& pointer, Access& access) {
  access.parameter = pointer.parameter, access.field = pointer.field;
  if (access.has_rule()) access.offset -= static_cast<int64_t>(pointer.offset);
}

// By the blocks' index along the dimension.
Spans along(const TracedLaunch& launch, const Spans& blocks, size_t dimension) {
  Spans units(launch.grid[dimension]);
  for (size_t i = 0; i < blocks.size(); i++)
    if (!blocks[i].empty()) units[launch.blocks[i].index[dimension]].add(blocks[i]);
  return units;
}

// A rule that holds for all units, from the two in the middle: those at the ends may touch less.
std::optional<Access> fit(const Spans& units, size_t dimension) {
  if (units.size() < 2) return std::nullopt;
  const Span &before = units[units.size() / 2 - 1], &after = units[units.size() / 2];
  if (before.empty() || after.empty() || after.begin <= before.begin) return std::nullopt;
  int64_t step = after.begin - before.begin, first = INT64_MAX, last = INT64_MIN;
  for (size_t i = 0; i < units.size(); i++) {
    if (units[i].empty()) continue;
    int64_t own = static_cast<int64_t>(i) * step;
    first = std::min(first, units[i].begin - own);
    last = std::max(last, units[i].end - own);
  }
  return run_along(static_cast<int>(dimension), first, step, last - first);
}

// How many units around the one in the middle, with it, belong each to the next.
int64_t joined_in_middle(const Spans& units, bool (*joins)(const Span&, const Span&)) {
  size_t first = units.size() / 2, last = first;
  while (first > 0 && joins(units[first - 1], units[first])) first--;
  while (last + 1 < units.size() && joins(units[last], units[last + 1])) last++;
  return static_cast<int64_t>(last - first + 1);
}
bool begin_alike(const Span& a, const Span& b) { return a.begin == b.begin; }
bool overlap(const Span& a, const Span& b) { return b.begin < a.end && a.begin < b.end; }

Spans grouped(const Spans& units, int64_t every) {
  auto blocks = static_cast<size_t>(every);
  Spans groups((units.size() + blocks - 1) / blocks);
  for (size_t i = 0; i < units.size(); i++)
    if (!units[i].empty()) groups[i / blocks].add(units[i]);
  return groups;
}

Span all_of(const Spans& spans) {
  Span all;
  for (const Span& span : spans) all.add(span);
  return all;
}

// Pieces of many rows span nearly everything, which is not worth waiting for one by one.
bool leaves_an_eighth(int64_t bytes, int64_t all) { return bytes <= all - all / 8; }

// The narrowest rule, along the slowest dimension that has it.
Access narrowest(const TracedLaunch& launch, const Spans& blocks, Rules rules) {
  Span all = all_of(blocks);
  Access best;
  int64_t fewest = all.bytes();
  for (size_t dimension = 3; dimension-- > 0;) {
    Spans units = along(launch, blocks, dimension);
    for (int64_t every : {int64_t{1}, joined_in_middle(units, begin_alike), joined_in_middle(units, overlap)}) {
      std::optional<Access> access = fit(grouped(units, every), dimension);
      if (!access || access->bytes >= fewest) continue;
      best = *access, best.every = every;
      fewest = best.bytes;
    }
  }
  if (rules == Rules::WorthWaiting && !leaves_an_eighth(fewest, all.bytes())) best = {};
  best.writes = all.written;
  return best;
}

// The access of one buffer by units; nothing when no pointer leads to it, or it is written by units that are not apart.
std::optional<Access> unit_access(const TracedLaunch& launch, uint32_t buffer, const Spans& blocks, size_t dimension) {
  Span all = all_of(blocks);
  std::optional<Access> access = fit(along(launch, blocks, dimension), dimension);
  if (all.written && (!access || access->bytes > access->step())) return std::nullopt;
  if (!access) access = Access{};
  access->writes = all.written;
  return count_from_pointer(launch, buffer, all.begin, *access) ? access : std::nullopt;
}

using Touched = std::map<std::pair<uint32_t, bool>, Spans>;  // By buffer and whether it is written; then by block.

Touched touched_by(const TracedLaunch& launch) {
  Touched touched;
  for (size_t i = 0; i < launch.blocks.size(); i++)
    for (const Footprint& print : launch.blocks[i].footprints) {
      Spans& spans = touched[{print.buffer, print.written}];
      spans.resize(launch.blocks.size());
      spans[i].add(span_of(print));
    }
  return touched;
}

std::optional<Accesses> accesses_along(const TracedLaunch& launch, const Touched& touched, size_t dimension) {
  Accesses all;
  for (const auto& [what, blocks] : touched) {
    std::optional<Access> access = unit_access(launch, what.first, blocks, dimension);
    if (!access) return std::nullopt;
    all.push_back(*access);
  }
  if (std::ranges::none_of(all, [](const Access& access) { return access.writes; })) return std::nullopt;
  sort_accesses(all);
  return all;
}

constexpr size_t kPiecesMax = size_t{1} << 20;  // Of all blocks, that are looked at one by one.

// What a block writes of a buffer; `only` where it is one footprint that is known to the byte.
struct Written {
  const TracedBlock* block;
  const Footprint* only = nullptr;
  Span span = {};
};

std::vector<Written> all_written(const TracedLaunch& launch, uint32_t buffer) {
  std::vector<Written> all;
  for (const TracedBlock& block : launch.blocks) {
    Written written{&block};
    size_t count = 0;
    for (const Footprint& print : block.footprints) {
      if (!print.written || print.buffer != buffer) continue;
      written.only = ++count == 1 && print.exact ? &print : nullptr;
      written.span.add(span_of(print));
    }
    if (count > 0) all.push_back(written);
  }
  return all;
}

const Written* written_by(const std::vector<Written>& all, const std::array<uint32_t, 3>& index) {
  auto found = std::ranges::find_if(all, [&](const Written& one) { return one.block->index == index; });
  return found == all.end() ? nullptr : &*found;
}

// From the first block that writes to its neighbours; 0 along dimensions that are not wanted, or where there is none.
std::array<int64_t, 3> steps_of(const std::vector<Written>& all, unsigned dimensions) {
  std::array<int64_t, 3> steps = {};
  for (size_t i = 0; i < 3; i++) {
    std::array<uint32_t, 3> next = all.front().block->index;
    next[i]++;
    const Written* neighbour = dimensions >> i & 1 ? written_by(all, next) : nullptr;
    if (neighbour) steps[i] = neighbour->span.begin - all.front().span.begin;
  }
  return steps;
}

Access with_steps(const std::array<int64_t, 3>& steps) {
  Access access;
  access.writes = true;
  access.steps = steps;
  return access;
}

// The run of bytes that holds whatever blocks write, with these steps from one block to the next.
Access run_with(const std::vector<Written>& all, const std::array<int64_t, 3>& steps) {
  Access run = with_steps(steps);
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Written& one : all) {
    int64_t own = begin_of(run, one.block->index);
    first = std::min(first, one.span.begin - own);
    last = std::max(last, one.span.end - own);
  }
  run.offset = first;
  run.bytes = run.stride = last - first;
  run.count = 1;
  return run;
}

// Blocks that are not numbered in the order of memory along some dimension count as one along it.
Access shortest_run(const std::vector<Written>& all) {
  Access best = run_with(all, {});
  for (unsigned dimensions = 1; dimensions < 8; dimensions++)
    if (Access one = run_with(all, steps_of(all, dimensions)); one.bytes < best.bytes) best = one;
  return best;
}

// Pieces at even distances, the same of all blocks; those at the ends of a buffer may have less.
Access even_pieces(const std::vector<Written>& all) {
  Access tiles = with_steps(steps_of(all, 7));
  for (const Written& one : all) {
    if (!one.only) return {};
    tiles.bytes = std::max(tiles.bytes, static_cast<int64_t>(one.only->piece_bytes));
    tiles.count = std::max(tiles.count, static_cast<int64_t>(one.only->count));
    if (one.only->count > 1) tiles.stride = static_cast<int64_t>(one.only->stride);
  }
  if (tiles.count == 1) tiles.stride = tiles.bytes;
  tiles.offset = all.front().span.begin - begin_of(tiles, all.front().block->index);
  for (const Written& one : all) {
    bool is_spaced = one.only->count == 1 || static_cast<int64_t>(one.only->stride) == tiles.stride;
    if (one.span.begin != begin_of(tiles, one.block->index) || !is_spaced) return {};
  }
  return tiles;
}

// How far from the offset on all bytes have one block each.
int64_t filled_by(const Access& tiles, const TracedLaunch& launch) {
  std::vector<int64_t> begins;
  for (const TracedBlock& block : launch.blocks)
    for (int64_t i = 0; i < tiles.count; i++) begins.push_back(begin_of(tiles, block.index) + i * tiles.stride);
  std::ranges::sort(begins);
  for (size_t i = 0; i < begins.size(); i++)
    if (begins[i] != tiles.offset + static_cast<int64_t>(i) * tiles.bytes) return 0;
  return static_cast<int64_t>(begins.size()) * tiles.bytes;
}

}  // namespace

std::string obstacle_in_writes(const TracedLaunch& launch) {
  auto any = [&](auto is) { return std::ranges::any_of(launch.blocks, is); };
  if (any([](const TracedBlock& block) { return block.reaches_elsewhere; }))
    return "it writes memory that is no buffer of its device";
  if (any([](const TracedBlock& block) { return !block.updated.empty(); }))
    return "its blocks change memory by atomic operations";
  return "";
}

BlockAccesses block_accesses(const TracedLaunch& launch, const std::set<uint32_t>& buffers, Rules rules) {
  std::map<size_t, Spans> touched;  // By pointer; then by block.
  for (size_t i = 0; i < launch.blocks.size(); i++)
    for (const Footprint& print : launch.blocks[i].footprints) {
      if (!buffers.contains(print.buffer)) continue;
      const TracedPointer* pointer = pointer_before(launch, print.buffer, static_cast<int64_t>(print.begin));
      if (!pointer) return {"it reads what lies before the pointers that it gets"};
      Spans& spans = touched[static_cast<size_t>(pointer - launch.pointers.data())];
      spans.resize(launch.blocks.size());
      spans[i].add(span_of(print));
    }
  BlockAccesses all;
  for (const auto& [index, blocks] : touched) {
    const TracedPointer& pointer = launch.pointers[index];
    Access access = narrowest(launch, blocks, rules);
    count_from(pointer, access);
    all.accesses.push_back(access);
  }
  return all;
}

UnitAccesses unit_accesses(const TracedLaunch& launch) {
  if (std::string obstacle = obstacle_in_writes(launch); !obstacle.empty()) return {obstacle};
  Touched touched = touched_by(launch);
  for (size_t dimension = 3; dimension-- > 0;)
    if (launch.grid[dimension] > 1)
      if (std::optional<Accesses> found = accesses_along(launch, touched, dimension))
        return {"", static_cast<int>(dimension), std::move(*found)};
  return {"its blocks do not write one behind the other along a dimension of its grid"};
}

Access written_tiles(const TracedLaunch& launch, uint32_t buffer) {
  std::vector<Written> all = all_written(launch, buffer);
  if (all.empty()) return {};
  Access tiles = even_pieces(all);
  bool is_short = launch.blocks.size() * static_cast<size_t>(tiles.count) <= kPiecesMax;
  if (tiles.has_rule() && is_short) tiles.filled = filled_by(tiles, launch);
  // Pieces that blocks share say no more than a run, and cost more.
  return tiles.filled > 0 ? tiles : shortest_run(all);
}

Access equal_tiles(const TracedLaunch& launch, uint32_t buffer, uint64_t offset, uint64_t bytes) {
  std::vector<Written> all = all_written(launch, buffer);
  uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  if (all.empty() || all.size() != blocks || launch.blocks.size() != blocks) return {};
  Access tiles = even_pieces(all);
  bool alike = tiles.has_rule() && std::ranges::all_of(all, [&](const Written& one) {
                 return static_cast<int64_t>(one.only->piece_bytes) == tiles.bytes &&
                        static_cast<int64_t>(one.only->count) == tiles.count;
               });
  bool begins = tiles.offset == static_cast<int64_t>(offset);
  if (!alike || !begins || filled_by(tiles, launch) != static_cast<int64_t>(bytes)) return {};
  tiles.offset = 0;
  return tiles;
}

bool count_from_pointer(const TracedLaunch& launch, uint32_t buffer, int64_t offset, Access& access) {
  const TracedPointer* pointer = pointer_before(launch, buffer, offset);
  if (pointer) count_from(*pointer, access);
  return pointer != nullptr;
}

void sort_accesses(Accesses& accesses) {
  std::ranges::sort(accesses, [](const Access& a, const Access& b) {
    return std::tie(a.parameter, a.field, a.writes, a.offset) < std::tie(b.parameter, b.field, b.writes, b.offset);
  });
}

}  // namespace cuco::footprint
