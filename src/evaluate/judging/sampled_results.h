// Results at full size. A sampled run has only parts of its outputs right: what followed from drawn inputs by blocks
// that ran (vcluster/runtime/recording/validity.h). Where the candidate's parts and the baseline's have elements in
// common, these are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/capture.h"
#include "evaluate/verdict.h"

namespace cuco::evaluate {

struct SampledComparison {
  uint64_t value_count = 0;       // In common.
  std::vector<Finding> findings;  // Of kind wrong_result, one for each output of each rank.
};

SampledComparison compare_parts(const Capture& baseline, const Capture& candidate);

// Some elements of all that a run has right, from all over each buffer. Another program that works with other blocks
// runs those that write them.
std::vector<vcluster::WantedPlace> places_of(const Capture& parts);

}  // namespace cuco::evaluate
