// Why a candidate can be faster than the bound of its baseline. The bound holds for the baseline's blocks and messages
// in any order and place; a candidate with others has a bound of its own.
#pragma once

#include <string>

#include "evaluate/verdict.h"

namespace cuco::evaluate {

// One sentence; empty when the candidate is not below the baseline's bound.
std::string note_below_bound(const Timing& candidate, const Timing& baseline);

// Why the candidate's time cannot be true: the blocks or bytes that it was seen to have take longer, or it is below its
// own bound and the baseline's, so that more is hidden than there is to hide. Empty: it can.
std::string impossibility(const Timing& candidate, const Timing& baseline);

}  // namespace cuco::evaluate
