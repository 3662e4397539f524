#include "vcluster/run_report.h"

#include <sstream>

#include "base/text.h"

namespace cuco::vcluster {

std::string to_text(const RunReport& report) {
  std::ostringstream out;
  out.precision(12);
  out << "verdict " << report.verdict << "\nexit_code " << report.exit_code << "\n";
  for (size_t rank = 0; rank < report.rank_us.size(); rank++)
    out << "rank " << rank << " virtual_us " << report.rank_us[rank] << "\n";
  for (const RunFinding& finding : report.findings)
    out << "finding " << finding.kind << " " << finding.rank << " " << replace_all(finding.text, "\n", " | ") << "\n";
  out << "end\n";
  return out.str();
}

RunReport parse_report(const std::string& text) {
  RunReport report;
  report.verdict = "";
  bool complete = false;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream in(line);
    std::string key;
    in >> key;
    if (key == "verdict") in >> report.verdict;
    if (key == "exit_code") in >> report.exit_code;
    if (key == "end") complete = true;
    if (key == "rank") {
      size_t rank = 0;
      std::string unit;
      double us = 0;
      in >> rank >> unit >> us;
      report.rank_us.push_back(us);
    }
    if (key == "finding") {
      RunFinding finding;
      in >> finding.kind >> finding.rank;
      std::getline(in >> std::ws, finding.text);
      report.findings.push_back(finding);
    }
  }
  if (!complete) report.verdict = "";
  return report;
}

}  // namespace cuco::vcluster
