// Where a program that marks nothing does its work.
#pragma once

#include "model/program.h"

namespace cuco::model {

// Between two calls that programs make once (allocations, frees, communicators) lies the stretch that communicates the
// most, or, of several, the last of these. In it the outermost loop around most of the communication, where the loop
// computes too or nothing does outside of it, and sends and receives do not stand on both sides of its end; else from
// its first to its last launch, library call or communication, in whole groups. A program that does no work has none.
TimedRegion guess_region(const Program& program);

}  // namespace cuco::model
