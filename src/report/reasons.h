// Why the best program of a run is faster than others, in sentences, from what was measured of both.
#pragma once

#include <string>
#include <vector>

#include "report/charts.h"
#include "report/run_view.h"

namespace cuco::report {

// How its kernels and messages go together; where its time is less than the baseline's; and than that of the fastest
// design of the other kind: fused ones, in which the program's own kernels send or wait, and all others. Nothing when
// the best is the baseline.
std::vector<std::string> reasons_of(const RunView& view);

// What the timelines of baseline and best, in this order, show of it: when communication begins, and how much less the
// streams have to do. Nothing without both. Stores to peers' memory are not seen.
std::vector<std::string> reasons_in(const std::vector<NamedTimeline>& timelines);

}  // namespace cuco::report
