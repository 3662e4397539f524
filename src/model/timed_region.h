// The part of a run that is timed, and what it computes.
#pragma once

#include "model/program.h"

namespace cuco::model {

// What the harness calls, where the program has one. Else the steps between the records of two events whose elapsed time is read, records included: of the pairs with
// communication between them (of those with any device work, when there are none) the last that lies in no other.
// Without such a pair, from the first to the last launch, library call or communication.
TimedRegion find_timed_region(const Program& program);

// Needs program.timed_region. What is copied to the host after the region (when nothing is, by the last such copy in
// it), then what the last communication that receives anything does receive. Each buffer once, in the order found.
std::vector<Output> find_outputs(const Program& program);

}  // namespace cuco::model
