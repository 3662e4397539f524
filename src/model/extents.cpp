#include "model/extents.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/assert.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

// A kernel or library call, a buffer and the pointer by which the one reaches the other.
using Passage = std::tuple<std::string, Index, std::string>;

Passage passage_of(const Program& program, Index step, const Region& region) {
  return {operation_at(program, step).callee, region.buffer, region.through};
}

// Passages that take different offsets: the program works on the buffer slice by slice.
std::set<Passage> find_sliced(const Program& program) {
  std::map<Passage, Symbolic> first_offset;
  std::set<Passage> sliced;
  for (Index step = 0; step < program.steps.size(); ++step)
    for (const Region& region : program.steps[step].regions) {
      if (region.bytes) continue;
      Passage passage = passage_of(program, step, region);
      auto [seen, added] = first_offset.emplace(passage, region.offset_bytes);
      if (!added && seen->second != region.offset_bytes) sliced.insert(passage);
    }
  return sliced;
}

bool is_zero(const Symbolic& value) { return value.as_constant() == 0; }

bool covers_buffer(const Program& program, const Region& region) {
  return is_zero(region.offset_bytes) && region.bytes && region.bytes == program.buffers[region.buffer].bytes;
}

// The later offset provably lies in [offset, offset + bytes).
bool begins_inside(const Symbolic& offset, const Symbolic& bytes, const Symbolic& later_offset) {
  Symbolic gap = later_offset - offset;
  return gap.is_never_negative() && (bytes - gap - Symbolic::constant(1)).is_never_negative();
}

bool is_one_of_several(const Step& step, const Region& region) {
  auto alike = [&](const Region& other) { return other.through == region.through && other.access == region.access; };
  return std::count_if(step.regions.begin(), step.regions.end(), alike) > 1;
}

Index index_of(auto& shapes, auto shape) {
  auto found = std::find(shapes.begin(), shapes.end(), shape);
  if (found == shapes.end()) found = shapes.insert(shapes.end(), std::move(shape));
  return static_cast<Index>(found - shapes.begin());
}

}  // namespace

Extents::Extents(const Program& program)
    : by_buffer_(program.buffers.size()), shape_of_(program.steps.size()), buffer_of_(program.steps.size()) {
  intern(program);
  for (Shapes& shapes : by_buffer_) shapes.meetings.assign(shapes.all.size() * shapes.all.size(), -1);
}

void Extents::intern(const Program& program) {
  std::set<Passage> sliced = find_sliced(program);
  for (Index step = 0; step < program.steps.size(); ++step)
    for (const Region& region : program.steps[step].regions) {
      bool known = region.buffer < program.buffers.size();
      buffer_of_[step].push_back(known ? region.buffer : kNone);
      shape_of_[step].push_back(kNone);
      if (!known) continue;
      bool whole = region.bytes ? covers_buffer(program, region)
                                : is_zero(region.offset_bytes) && !sliced.contains(passage_of(program, step, region));
      shape_of_[step].back() =
          index_of(by_buffer_[region.buffer].all,
                   Shape{region.offset_bytes, region.bytes, whole, is_one_of_several(program.steps[step], region)});
    }
}

Meeting Extents::meet(Index step_a, size_t region_a, Index step_b, size_t region_b) {
  Index buffer = buffer_of_[step_a][region_a];
  CUCO_ASSERT(buffer != kNone && buffer == buffer_of_[step_b][region_b]);
  Shapes& shapes = by_buffer_[buffer];
  Index a = shape_of_[step_a][region_a];
  Index b = shape_of_[step_b][region_b];
  int8_t& meeting = shapes.meetings[a * shapes.all.size() + b];
  if (meeting < 0) meeting = static_cast<int8_t>(compare(shapes.all[a], shapes.all[b]));
  return static_cast<Meeting>(meeting);
}

Meeting Extents::compare(const Shape& a, const Shape& b) {
  Meeting meeting = compare_bytes(a, b);
  return a.chosen || b.chosen ? std::min(meeting, Meeting::Perhaps) : meeting;
}

Meeting Extents::compare_bytes(const Shape& a, const Shape& b) {
  bool empty = (a.bytes && is_zero(*a.bytes)) || (b.bytes && is_zero(*b.bytes));
  if (empty) return Meeting::Never;
  if (a.whole || b.whole || a.offset == b.offset) return Meeting::Certain;
  if (!a.bytes || !b.bytes) return Meeting::Perhaps;
  if (!may_overlap(a.offset, *a.bytes, b.offset, *b.bytes)) return Meeting::Never;
  bool proven = begins_inside(a.offset, *a.bytes, b.offset) || begins_inside(b.offset, *b.bytes, a.offset);
  return proven ? Meeting::Certain : Meeting::Perhaps;
}

}  // namespace cuco::model
