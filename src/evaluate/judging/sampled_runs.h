// Compares what blocks compute at full size. The baseline and the candidate are each run once more, in the checking
// build, whose hooks tell which elements of the outputs are right although most blocks did not run.
#pragma once

#include <string>
#include <vector>

#include "evaluate/confined_program.h"
#include "evaluate/evaluate.h"

namespace cuco::evaluate {

struct SampledVerdict {
  std::string note;  // How much was compared, or why nothing was.
  std::vector<Finding> findings;
};

// `key` is that of the baseline's reference: its side is kept in the cache. Both programs are built for checking where
// they have to run.
Result<SampledVerdict> judge_sampled(const EvaluationRequest& request, const std::string& key,
                                     ConfinedProgram& baseline, ConfinedProgram& candidate);

}  // namespace cuco::evaluate
