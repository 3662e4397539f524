// What one run tells its parent: a text file of lines "key value", written once at the end.
//   verdict ok | deadlock | no_progress | time_limit | fault | exit
//   exit_code N
//   rank R virtual_us T
//   finding KIND RANK text...
#pragma once

#include <string>
#include <vector>

namespace cuco::vcluster {

struct RunFinding {
  std::string kind;  // "deadlock", "collective_mismatch", ...
  int rank = -1;     // -1: not of one rank.
  std::string text;  // One sentence, with the places it speaks of.
};

struct RunReport {
  std::string verdict = "ok";
  int exit_code = 0;
  std::vector<double> rank_us;
  std::vector<RunFinding> findings;
};

std::string to_text(const RunReport& report);
// Empty verdict when the text is not a report: the run died before it could write one.
RunReport parse_report(const std::string& text);

}  // namespace cuco::vcluster
