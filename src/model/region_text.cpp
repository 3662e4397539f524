#include "model/region_text.h"

#include <algorithm>

#include "base/text.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

std::string place_of(const Program& program, const Operation& operation) {
  return location_text(program, operation.range);
}

std::string fault_of(const Program& program, const Operation& end) {
  if (!end.statement.editable) return concat(place_of(program, end), ": the region begins or ends inside a macro");
  if (!end.conditions.empty())
    return concat(place_of(program, end), ": the region begins or ends under the condition ", end.conditions.back());
  return "";
}

// What a program does once.
bool is_set_up(OperationKind kind) {
  using enum OperationKind;
  constexpr OperationKind kinds[] = {Allocate,      Free,          StreamCreate, StreamDestroy,  EventCreate,
                                     EventDestroy,  CommInit,      CommDestroy,  WindowRegister, WindowDeregister,
                                     DevCommCreate, DevCommDestroy};
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

// 1 where the loop does not say.
uint32_t iterations_of(const Loop& loop) {
  std::optional<int64_t> limit = loop.limit_value ? loop.limit_value->as_constant() : std::nullopt;
  bool counts_up = loop.first == "0" && loop.step == "+1" && loop.limit.starts_with("<");
  return limit && counts_up && *limit > 0 ? static_cast<uint32_t>(std::min<int64_t>(*limit, UINT32_MAX)) : 1;
}

// By the loops around the operation that do not stand around the region as well.
uint32_t own_iterations(const Program& program, const Operation& operation, Index region_loop) {
  uint64_t all = 1;
  for (Index loop = operation.loop; loop != kNone && loop != region_loop; loop = program.loops[loop].parent)
    all *= iterations_of(program.loops[loop]);
  return static_cast<uint32_t>(std::min<uint64_t>(all, UINT32_MAX));
}

uint32_t own_calls(const Program& program, Index region_loop) {
  uint32_t least = UINT32_MAX;
  for (Index step = program.timed_region.first_step; step <= program.timed_region.last_step; step++)
    if (const Operation& operation = operation_at(program, step); operation.kind == OperationKind::Communicate)
      least = std::min(least, own_iterations(program, operation, region_loop));
  return least == UINT32_MAX ? 1 : least;
}

std::string find_set_up(const Program& program) {
  for (Index step = program.timed_region.first_step; step <= program.timed_region.last_step; step++)
    if (const Operation& operation = operation_at(program, step); is_set_up(operation.kind))
      return concat(place_of(program, operation), ": ", operation.callee);
  return "";
}

}  // namespace

Result<RegionText> find_region_text(const Program& program) {
  const TimedRegion& region = program.timed_region;
  if (region.basis != RegionBasis::Events && region.basis != RegionBasis::FirstToLast)
    return Error{"no timed region was found in its text"};
  const Operation& first = operation_at(program, region.first_step);
  const Operation& last = operation_at(program, region.last_step);
  for (const Operation* end : {&first, &last})
    if (std::string fault = fault_of(program, *end); !fault.empty()) return Error{fault};
  bool in_order =
      first.statement.file == last.statement.file && first.statement.begin_byte <= last.statement.begin_byte;
  if (first.function != last.function || first.call_path != last.call_path || !in_order)
    return Error{concat(place_of(program, first), ": the region begins and ends in different functions")};
  if (first.loop != last.loop)
    return Error{concat(place_of(program, first), ": the region begins and ends in different loops")};
  return RegionText{first.statement.file, first.statement.begin_byte, last.statement.end_byte,
                    own_calls(program, first.loop), find_set_up(program)};
}

}  // namespace cuco::model
