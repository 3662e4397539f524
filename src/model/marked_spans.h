// The stretches of a run that a program marks itself, in the order of their ends.
#pragma once

#include <vector>

#include "model/step_span.h"

namespace cuco::model {

// Between the records of two events whose elapsed time is read, records included.
std::vector<StepSpan> spans_by_events(const Program& program);

// Between two reads of a clock of the host that follow each other in the same loops, reads included. A read under a
// condition inside of a loop, behind a warm-up, begins a span that a read behind the loop ends.
std::vector<StepSpan> spans_by_clock(const Program& program);

// What lies in a range of NVTX or of the profiler, its ends not included: they may be made by a constructor and a
// destructor.
std::vector<StepSpan> spans_by_ranges(const Program& program);

}  // namespace cuco::model
