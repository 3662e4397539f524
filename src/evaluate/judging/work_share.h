// At full size a few blocks stand for the others, and only what they compute is compared (sampled_results.h). What
// shows of all is how much a candidate does: less, against the baseline, than at the configuration where it was
// verified is a way to do nothing where nobody looks.
#pragma once

#include <optional>
#include <string>

#include "evaluate/verdict.h"

namespace cuco::evaluate {

WorkShare work_share(const Timing& candidate, const Timing& baseline);

// What is missing, in one sentence; empty: nothing. `proved` is the share where the candidate was verified; without it
// only a candidate that does nothing at all is found.
std::string missing_work(const WorkShare& timed, const std::optional<WorkShare>& proved);

}  // namespace cuco::evaluate
