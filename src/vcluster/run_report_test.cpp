#include "vcluster/run_report.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

RunReport example() {
  RunReport report;
  report.verdict = "deadlock";
  report.exit_code = 1;
  report.rank_us = {12.5, 13.25};
  report.findings = {{"deadlock", 1, "host thread 0 waits for MPI_Barrier"}, {"leak", -1, "two\nlines"}};
  return report;
}

TEST(RunReport, SurvivesItsTextForm) {
  RunReport read = parse_report(to_text(example()));
  EXPECT_EQ(read.verdict, "deadlock");
  EXPECT_EQ(read.exit_code, 1);
  EXPECT_EQ(read.rank_us, (std::vector<double>{12.5, 13.25}));
  ASSERT_EQ(read.findings.size(), 2u);
  EXPECT_EQ(read.findings[0].rank, 1);
  EXPECT_EQ(read.findings[0].text, "host thread 0 waits for MPI_Barrier");
}

TEST(RunReport, PutsAFindingOnOneLine) { EXPECT_EQ(parse_report(to_text(example())).findings[1].text, "two | lines"); }

TEST(RunReport, HasNoVerdictWhenCutShort) {
  std::string text = to_text(example());
  EXPECT_EQ(parse_report(text.substr(0, text.size() - 4)).verdict, "");
  EXPECT_EQ(parse_report("").verdict, "");
}

}  // namespace
}  // namespace cuco::vcluster
