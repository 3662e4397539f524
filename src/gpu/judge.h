// What a run on GPUs says about a program: findings of a bad end, and times.
#pragma once

#include <vector>

#include "evaluate/verdict.h"
#include "gpu/program.h"

namespace cuco::gpu {

// Empty for a run that came to its end and saw nothing wrong by itself; outputs are compared by
// evaluate/judging/judge.h. `files` are the program's, to say where a kernel that hangs can wait.
std::vector<evaluate::Finding> findings_of(const RunOutcome& outcome, const std::vector<SourceFile>& files);

// Of the timed calls: each iteration takes as long as its slowest rank.
evaluate::Timing timing_of(const RunOutcome& outcome);
// The sum of those iterations.
double timed_us_of(const RunOutcome& outcome);

}  // namespace cuco::gpu
