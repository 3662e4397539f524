// report.html: one page that says what a run tried and found, with nothing to load from anywhere.
#pragma once

#include <string>
#include <vector>

#include "report/charts.h"
#include "report/run_view.h"

namespace cuco::report {

struct ReportInput {
  RunView view;
  std::string setting;                   // "2 ranks on 2 nodes, profile a100-2node-roce".
  std::vector<NamedTimeline> timelines;  // Baseline and best; empty when they could not be had.
  std::string timeline_note;             // Why not.
  std::string diff;                      // From the baseline to the best, unified.
  std::vector<std::string> repeat;       // Commands.
};

std::string to_html(const ReportInput& input);

}  // namespace cuco::report
