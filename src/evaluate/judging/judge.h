// The judge: compares what a candidate put out with what the baseline did on the same inputs. It sees captures only,
// never the program.
#pragma once

#include <vector>

#include "evaluate/capture.h"
#include "evaluate/verdict.h"

namespace cuco::evaluate {

// What keeps a baseline's outputs from being an oracle: elements that are NaN or that nothing has written, outputs that
// changed after the region returned. One finding an output and rank at most.
std::vector<Finding> judge_baseline(const Capture& baseline);

// What differs. Every output of every rank and iteration must be there on both sides with the same name, type and
// count. An element passes when |candidate - baseline| <= absolute + relative * |baseline|, with the baseline's
// tolerance; equal infinities pass, so does NaN for a NaN that was written, and integers are compared exactly when both tolerances are zero.
// Findings of kind wrong_result, one for each output of each rank that has a mismatch: the first of them with both
// values, and how many there are.
std::vector<Finding> compare(const Capture& baseline, const Capture& candidate);

// The same of one output in one iteration.
struct Mismatch {
  uint64_t count = 0;
  std::string
      first;  // "index I in iteration N is A where the baseline has B"; of a part, I counts from the output's begin.
};
Mismatch mismatch_of(const CapturedOutput& baseline, const CapturedOutput& candidate);

}  // namespace cuco::evaluate
