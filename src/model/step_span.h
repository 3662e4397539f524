// A stretch of a program's steps, and what the searches for its timed region ask of one.
#pragma once

#include "model/program.h"

namespace cuco::model {

struct StepSpan {
  Index first = kNone;
  Index last = kNone;  // Part of it.

  bool operator==(const StepSpan&) const = default;
};

using StepTest = bool (*)(const Program&, Index step);

bool contains(const Program& program, const StepSpan& span, StepTest wanted);

// The program makes something in it that it makes once.
bool has_set_up(const Program& program, const StepSpan& span);

// A region in whole loops: where one end stands in a loop that the other is outside of, all of that loop. So a warm-up
// in the first iterations of a loop is a part of it.
TimedRegion in_whole_loops(const Program& program, RegionBasis basis, StepSpan span);

// The same for loops of which only the outermost `outer_loops` go on around it.
TimedRegion in_whole_loops(const Program& program, RegionBasis basis, StepSpan span, size_t outer_loops);

}  // namespace cuco::model
