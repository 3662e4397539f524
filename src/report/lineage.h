// Who came from whom, as a tree of nested lists; the way from the baseline to the best stands out.
#pragma once

#include "report/html.h"
#include "report/run_view.h"

namespace cuco::report {

void write_lineage(Html& html, const RunView& view);

}  // namespace cuco::report
