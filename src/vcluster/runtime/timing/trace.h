// The timeline as a file for chrome://tracing and ui.perfetto.dev: ranks are processes; streams, the two links and the
// multiprocessors (a track for every place of a block) are threads; arrows lead from a put to the wait it satisfied.
// Times are microseconds with all six decimals, so equal runs give equal bytes. Slices of a track never overlap.
#pragma once

#include <string>

#include "vcluster/runtime/timing/timeline.h"

namespace cuco::vcluster {

std::string trace_json(const Timeline& timeline);

}  // namespace cuco::vcluster
