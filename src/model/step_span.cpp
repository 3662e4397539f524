#include "model/step_span.h"

#include "model/step_facts.h"

namespace cuco::model {

namespace {

// Whether `step` is made by the same run of the loop that stands around `end` inside of the outermost `outer_loops`.
bool in_loop_of(const Program& program, Index end, Index step, size_t outer_loops) {
  std::vector<Index> around = enclosing_loops(program, operation_at(program, end));
  std::vector<Index> others = enclosing_loops(program, operation_at(program, step));
  if (around.size() <= outer_loops || others.size() <= outer_loops) return false;
  return around[outer_loops] == others[outer_loops] && common_loop_count(program, end, step) >= outer_loops;
}

}  // namespace

bool contains(const Program& program, const StepSpan& span, StepTest wanted) {
  for (Index step = span.first; step <= span.last; ++step)
    if (wanted(program, step)) return true;
  return false;
}

bool has_set_up(const Program& program, const StepSpan& span) {
  return contains(program, span, [](const Program& of, Index step) { return is_set_up(operation_at(of, step).kind); });
}

TimedRegion in_whole_loops(const Program& program, RegionBasis basis, StepSpan span) {
  return in_whole_loops(program, basis, span, common_loop_count(program, span.first, span.last));
}

TimedRegion in_whole_loops(const Program& program, RegionBasis basis, StepSpan span, size_t outer_loops) {
  Index first = span.first, last = span.last;
  while (first > 0 && in_loop_of(program, span.first, first - 1, outer_loops)) first--;
  while (last + 1 < program.steps.size() && in_loop_of(program, span.last, last + 1, outer_loops)) last++;
  std::vector<Index> loops = enclosing_loops(program, operation_at(program, span.first));
  return {basis, first, last, outer_loops == 0 ? kNone : loops[outer_loops - 1]};
}

}  // namespace cuco::model
