// The pictures of a report, as SVG inside the page. Colours are classes of the page's style sheet, so that they follow
// its light or dark theme.
#pragma once

#include <string>
#include <vector>

#include "report/html.h"
#include "report/run_view.h"
#include "report/timeline.h"

namespace cuco::report {

// The time of every candidate that passed, and of the best so far, by number of candidate.
void write_curve(Html& html, const RunView& view);

struct NamedTimeline {
  std::string name;  // "baseline", "best #23".
  Timeline timeline;
};

// One below the other on a common scale; equal names have equal colours.
void write_timelines(Html& html, const std::vector<NamedTimeline>& timelines);

// How many classes `kind0`, `kind1`, ... the style sheet must have.
constexpr size_t kKinds = 8;

}  // namespace cuco::report
