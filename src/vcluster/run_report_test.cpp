#include "vcluster/run_report.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

RunReport example_report() {
  RunReport report;
  report.verdict = "deadlock";
  report.exit_code = 1;
  report.rank_us = {12.5, 13.25};
  report.timings = {{"events", 1, 4, 1, 0, 1.5, 0.25, 0.25}, {"activity", 0, 8.5, 2, 1, 0, 0.5, 5}, {}};
  report.bound_compute_us = 2.5;
  report.bound_communication_us = 0.125;
  report.bound_order_us = 3.5;
  report.findings = {{"deadlock", 1, "host thread 0 waits for MPI_Barrier"},
                     {"leak", -1, "two\nlines", model::Severity::Warning},
                     {"gpu_race", 2, "3, 4 and 5", model::Severity::Error, {0, 11}}};
  return report;
}

TEST(RunReport, SurvivesItsTextForm) {
  RunReport read = parse_report(to_text(example_report()));
  EXPECT_EQ(read.verdict, "deadlock");
  EXPECT_EQ(read.exit_code, 1);
  EXPECT_EQ(read.rank_us, (std::vector<double>{12.5, 13.25}));
  ASSERT_EQ(read.findings.size(), 3u);
  EXPECT_EQ(read.findings[0].rank, 1);
  EXPECT_EQ(read.findings[0].text, "host thread 0 waits for MPI_Barrier");
  EXPECT_EQ(read.findings[2].rank, 2);
  EXPECT_EQ(read.findings[2].other_ranks, (std::vector<int>{0, 11}));
  EXPECT_EQ(read.findings[2].text, "3, 4 and 5");
}

TEST(RunReport, KeepsTimesAndBound) {
  RunReport read = parse_report(to_text(example_report()));
  ASSERT_EQ(read.timings.size(), 3u);
  EXPECT_EQ(read.timings[0].region, "events");
  EXPECT_EQ(read.timings[0].length_us(), 3);
  EXPECT_EQ(read.timings[0].exposed_communication_us, 1.5);
  EXPECT_EQ(read.timings[1].wait_us, 5);
  EXPECT_EQ(read.timings[2].region, "none");
  EXPECT_EQ(read.bound_compute_us, 2.5);
  EXPECT_EQ(read.bound_communication_us, 0.125);
  EXPECT_EQ(read.bound_order_us, 3.5);
}

TEST(RunReport, SaysWhenBlocksStoodForOthers) {
  RunReport report = example_report();
  EXPECT_FALSE(parse_report(to_text(report)).sampled);
  report.sampled = true;
  report.blocks_run = 16;
  report.blocks_total = 4096;
  report.work_run = 0.25;
  RunReport read = parse_report(to_text(report));
  EXPECT_TRUE(read.sampled);
  EXPECT_EQ(read.blocks_run, 16u);
  EXPECT_EQ(read.blocks_total, 4096u);
  EXPECT_EQ(read.work_run, 0.25);
}

TEST(RunReport, KeepsLaunchesAndOperations) {
  RunReport report = example_report();
  report.operations = 5'000'000'000;
  report.launches = {{"gemm<64, 4>", "my file.cu:7", 12, {128, 32, 1}, {256, 1, 1}},
                     {"k", "a.cu:9", 1, {1, 1, 1}, {8}}};
  RunReport read = parse_report(to_text(report));
  EXPECT_EQ(read.operations, report.operations);
  EXPECT_EQ(read.launches, report.launches);
}

TEST(RunReport, KeepsWhatWasLeftOutAndWhyNot) {
  RunReport report = example_report();
  report.bodies = {{8, 512, "tile<4, 2> at a.cu:7 in kernel k"}, {512, 512, "other at a.cu:9 in kernel k", "it is so"}};
  RunReport read = parse_report(to_text(report));
  ASSERT_EQ(read.bodies.size(), 2u);
  EXPECT_EQ(read.bodies[0].run, 8u);
  EXPECT_EQ(read.bodies[0].total, 512u);
  EXPECT_EQ(read.bodies[0].what, "tile<4, 2> at a.cu:7 in kernel k");
  EXPECT_EQ(read.bodies[0].reason, "");
  EXPECT_EQ(describe(read.bodies[1]), "other at a.cu:9 in kernel k was executed by all 512 blocks: it is so");
}

TEST(RunReport, TakesTheLongestRegionAsTheSlowest) {
  RunReport report = example_report();
  EXPECT_EQ(slowest(report), &report.timings[1]);
  report.timings = {{}};
  EXPECT_EQ(slowest(report), nullptr);
}

TEST(RunReport, TellsWarningsFromErrors) {
  RunReport read = parse_report(to_text(example_report()));
  EXPECT_EQ(read.findings[0].severity, model::Severity::Error);
  EXPECT_EQ(read.findings[1].severity, model::Severity::Warning);
  EXPECT_TRUE(has_errors(read));
  read.findings = {read.findings[1]};
  EXPECT_FALSE(has_errors(read));
  EXPECT_FALSE(shares_a_device(read));
  read.findings.push_back({"device_choice", 0, "ncclCommInitRank: Duplicate GPU detected: rank 0 and rank 1"});
  EXPECT_TRUE(shares_a_device(read));
}

TEST(RunReport, PutsAFindingOnOneLine) {
  EXPECT_EQ(parse_report(to_text(example_report())).findings[1].text, "two | lines");
}

TEST(RunReport, HasNoVerdictWhenCutShort) {
  std::string text = to_text(example_report());
  EXPECT_EQ(parse_report(text.substr(0, text.size() - 4)).verdict, "");
  EXPECT_EQ(parse_report("").verdict, "");
}

}  // namespace
}  // namespace cuco::vcluster
