// The part of a run that is timed, and what it computes.
#pragma once

#include "model/program.h"

namespace cuco::model {

// The one that was named, where program.timed_region says so; else what the harness calls, where the program has one.
// Else of the stretches that the program marks and that communicate the last that lies in no other: between events
// whose elapsed time is read, between reads of a clock, in a range of NVTX. Clocks and ranges around what programs do
// once do not count. Else a guess (guessed_region.h). A program that communicates nothing may have one between events
// too.
TimedRegion find_timed_region(const Program& program);

// Needs program.timed_region. What is copied to the host after the region (when nothing is, by the last such copy in
// it), then what the last communication that receives anything does receive. Each buffer once, in the order found.
std::vector<Output> find_outputs(const Program& program);

}  // namespace cuco::model
