// Whether a candidate keeps the precision of what the original moves. Tolerances are for what is computed, so a
// gathered activation that went over the wire in half the bits may well stay within them. What it cannot do is follow
// small changes: the calls of a timing run are repeated on inputs that differ by 2^-14 of themselves, up and down (see
// vcluster/runtime/harness/buffers.h), which is less than a half-precision format can tell, and each output must change
// as the baseline's does. Sums in another order differ by far less.
//
// Where the baseline itself does not change as much up as down it rounds more than that, and nothing is said. Nor is
// anything seen of inputs and outputs of 16 bits or fewer, or of integers.
#pragma once

#include <vector>

#include "evaluate/capture.h"
#include "evaluate/verdict.h"

namespace cuco::evaluate {

// The iterations first ... first + count - 1, which others repeat in the same order: nudged up, then nudged down.
struct NudgedIterations {
  uint32_t first = 0, count = 0;
};

// Findings of kind lower_precision, at most one for each output of each rank.
std::vector<Finding> compare_changes(const Capture& baseline, const Capture& candidate,
                                     const NudgedIterations& iterations);

}  // namespace cuco::evaluate
