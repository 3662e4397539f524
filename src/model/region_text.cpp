#include "model/region_text.h"

#include <algorithm>

#include "base/text.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

std::string place_of(const Program& program, const Operation& operation) {
  return location_text(program, operation.range);
}

// How many calls lead to both, from the entry point on.
size_t common_depth(const Operation& first, const Operation& last) {
  return static_cast<size_t>(std::ranges::mismatch(first.call_path, last.call_path).in1 - first.call_path.begin());
}

// Calls from the entry point on to where the loop stands that has this operation in it.
size_t depth_of_loop(const Operation& operation, const Loop& loop) {
  size_t depth = 0;
  while (depth < operation.call_path.size() && !contains(loop.range, place_in(operation, depth))) depth++;
  return depth;
}

// The outermost loop of the operation that does not stand around the region.
Index loop_in_region(const Program& program, const Operation& operation) {
  Index inner = kNone;
  for (Index loop = operation.loop; loop != kNone && loop != program.timed_region.loop;
       loop = program.loops[loop].parent)
    inner = loop;
  return inner;
}

// 1 where the loop does not say.
uint32_t iterations_of(const Loop& loop) {
  std::optional<int64_t> limit = loop.limit_value ? loop.limit_value->as_constant() : std::nullopt;
  bool counts_up = loop.first == "0" && loop.step == "+1" && loop.limit.starts_with("<");
  return limit && counts_up && *limit > 0 ? static_cast<uint32_t>(std::min<int64_t>(*limit, UINT32_MAX)) : 1;
}

// The place of an operation, or the loop of the region that stands around it there.
const SourceRange& end_of_region(const Program& program, const Operation& operation, size_t depth) {
  const SourceRange& place = place_in(operation, depth);
  Index loop = loop_in_region(program, operation);
  return loop != kNone && contains(program.loops[loop].range, place) ? program.loops[loop].range : place;
}

uint32_t own_iterations(const Program& program, const Operation& operation) {
  uint64_t all = 1;
  for (Index loop = operation.loop; loop != kNone && loop != program.timed_region.loop;
       loop = program.loops[loop].parent)
    all *= iterations_of(program.loops[loop]);
  return static_cast<uint32_t>(std::min<uint64_t>(all, UINT32_MAX));
}

uint32_t own_calls(const Program& program) {
  uint32_t least = UINT32_MAX;
  for (Index step = program.timed_region.first_step; step <= program.timed_region.last_step; step++)
    if (const Operation& operation = operation_at(program, step); operation.kind == OperationKind::Communicate)
      least = std::min(least, own_iterations(program, operation));
  return least == UINT32_MAX ? 1 : least;
}

std::string find_set_up(const Program& program) {
  for (Index step = program.timed_region.first_step; step <= program.timed_region.last_step; step++)
    if (const Operation& operation = operation_at(program, step); is_set_up(operation.kind))
      return concat(place_of(program, operation), ": ", operation.callee);
  return "";
}

// Device work that a program does for its results, not to look at them.
bool is_compute(OperationKind kind) {
  return kind == OperationKind::Launch || kind == OperationKind::Library || kind == OperationKind::Communicate;
}

bool is_same_text(const Operation& one, const Operation& other) {
  return one.statement.file == other.statement.file && one.statement.begin_byte == other.statement.begin_byte;
}

// A function that has the region in it and is called twice does its steps at the same places.
bool is_last(const Program& program) {
  const TimedRegion& region = program.timed_region;
  const Operation& end = operation_at(program, region.last_step);
  if (region.loop != kNone) return false;
  for (Index step = 0; step < program.steps.size(); step++) {
    const Operation& operation = operation_at(program, step);
    if (step < region.first_step && is_same_text(operation, end)) return false;
    if (step > region.last_step && is_compute(operation.kind)) return false;
  }
  return true;
}

}  // namespace

Result<RegionText> find_region_text(const Program& program) {
  const TimedRegion& region = program.timed_region;
  if (region.basis == RegionBasis::None || region.basis == RegionBasis::Harness)
    return Error{"no timed region was found in its text"};
  const Operation& first = operation_at(program, region.first_step);
  const Operation& last = operation_at(program, region.last_step);
  size_t depth = common_depth(first, last);
  for (const Operation* each : {&first, &last})
    if (Index loop = loop_in_region(program, *each); loop != kNone)
      depth = std::min(depth, depth_of_loop(*each, program.loops[loop]));
  const SourceRange &begin = end_of_region(program, first, depth), &end = end_of_region(program, last, depth);
  for (const SourceRange* each : {&begin, &end})
    if (!each->editable)
      return Error{concat(location_text(program, *each), ": the region begins or ends inside a macro")};
  if (begin.file != end.file || begin.begin_byte > end.begin_byte)
    return Error{concat(place_of(program, first), ": the region begins and ends in different functions")};
  return RegionText{begin.file,         begin.begin_byte, end.end_byte,
                    own_calls(program), is_last(program), find_set_up(program)};
}

}  // namespace cuco::model
