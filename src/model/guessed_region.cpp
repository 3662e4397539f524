#include "model/guessed_region.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/step_facts.h"
#include "model/step_span.h"

namespace cuco::model {

namespace {

bool works(const Program& program, Index step) { return computes(program, step) || communicates(program, step); }

using Work = std::pair<size_t, size_t>;  // Steps that communicate, steps that compute.

// The stretch without set-up that does the most.
StepSpan busiest_span(const Program& program) {
  StepSpan best;
  Work most = {0, 0}, work = {0, 0};
  Index begin = 0;
  auto end = [&](Index next) {
    if (work != Work{0, 0} && work >= most) best = {begin, next - 1}, most = work;
    begin = next + 1, work = {0, 0};
  };
  for (Index step = 0; step < program.steps.size(); ++step) {
    if (is_set_up(operation_at(program, step).kind)) end(step);
    if (communicates(program, step)) work.first++;
    if (computes(program, step)) work.second++;
  }
  end(static_cast<Index>(program.steps.size()));
  return best;
}

bool stands_in(const Program& program, const Operation& operation, Index loop) {
  std::vector<Index> around = enclosing_loops(program, operation);
  return std::find(around.begin(), around.end(), loop) != around.end();
}

// Loops over peers and devices stand inside of a group; what makes something anew for each iteration is not repeated.
bool may_be_region(const Program& program, Index step, Index loop) {
  const Operation& call = operation_at(program, step);
  Index group = call.communicate ? call.communicate->group : kNone;
  if (group != kNone && !stands_in(program, program.operations[group], loop)) return false;
  return std::none_of(program.operations.begin(), program.operations.end(),
                      [&](const Operation& each) { return is_set_up(each.kind) && stands_in(program, each, loop); });
}

std::optional<size_t> depth_of_region_loop(const Program& program, Index step) {
  std::vector<Index> loops = enclosing_loops(program, operation_at(program, step));
  for (size_t depth = 0; depth < loops.size(); ++depth)
    if (may_be_region(program, step, loops[depth])) return depth;
  return std::nullopt;
}

struct LoopUse {
  size_t communications = 0;
  Index last_step = kNone;
  size_t depth = 0;
};

bool computes_in(const Program& program, const StepSpan& span, Index loop, bool inside) {
  for (Index step = span.first; step <= span.last; ++step)
    if (computes(program, step) && stands_in(program, operation_at(program, step), loop) == inside) return true;
  return false;
}

// Sends and receives belong together, also where ranks take different branches to them.
bool parts_transfers(const Program& program, const StepSpan& span, Index loop) {
  bool inside = false, outside = false;
  for (Index step = span.first; step <= span.last; ++step) {
    const Operation& operation = operation_at(program, step);
    if (!operation.communicate || !is_transfer(operation.communicate->collective)) continue;
    (stands_in(program, operation, loop) ? inside : outside) = true;
  }
  return inside && outside;
}

std::optional<TimedRegion> loop_in(const Program& program, const StepSpan& span) {
  std::map<Index, LoopUse> uses;
  for (Index step = span.first; step <= span.last; ++step) {
    if (!communicates(program, step)) continue;
    std::optional<size_t> depth = depth_of_region_loop(program, step);
    if (!depth) continue;
    LoopUse& use = uses[enclosing_loops(program, operation_at(program, step))[*depth]];
    use = {use.communications + 1, step, *depth};
  }
  const LoopUse* best = nullptr;
  for (const auto& [loop, use] : uses) {
    if (!computes_in(program, span, loop, true) && computes_in(program, span, loop, false)) continue;
    if (parts_transfers(program, span, loop)) continue;
    if (!best || std::pair(use.communications, use.last_step) > std::pair(best->communications, best->last_step))
      best = &use;
  }
  if (!best) return std::nullopt;
  return in_whole_loops(program, RegionBasis::Loop, {best->last_step, best->last_step}, best->depth);
}

Index group_of(const Program& program, Index step) {
  const Operation& operation = operation_at(program, step);
  return operation.communicate ? operation.communicate->group : kNone;
}

StepSpan with_whole_groups(const Program& program, StepSpan span) {
  if (Index group = group_of(program, span.first); group != kNone)
    while (span.first > 0 && program.steps[span.first].operation != group) span.first--;
  if (group_of(program, span.last) != kNone)
    while (span.last + 1 < program.steps.size() && operation_at(program, span.last).kind != OperationKind::GroupEnd)
      span.last++;
  return span;
}

}  // namespace

TimedRegion guess_region(const Program& program) {
  StepSpan span = busiest_span(program);
  if (span.first == kNone) return {};
  if (std::optional<TimedRegion> loop = loop_in(program, span)) return *loop;
  while (!works(program, span.first)) span.first++;
  while (!works(program, span.last)) span.last--;
  return in_whole_loops(program, RegionBasis::FirstToLast, with_whole_groups(program, span));
}

}  // namespace cuco::model
