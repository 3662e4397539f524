#include "evaluate/sizes/run_paths.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

vcluster::RunReport large() {
  vcluster::RunReport report;
  report.sampled = true;
  report.launches = {{"gemm<64>", "a.cu:7", 4, {128, 32, 1}, {256, 1, 1}}, {"sum", "a.cu:9", 4, {1, 1, 1}, {32, 1, 1}}};
  report.traffic.transfers = {{0, 1, model::Carrier::Host, "ncclAllGather", "a.cu:8", 4096}};
  return report;
}

vcluster::RunReport small() {
  vcluster::RunReport report = large();
  report.sampled = false;
  report.launches[0].grid = {2, 3, 1};
  report.traffic.transfers[0].bytes = 64;
  return report;
}

std::string difference(const vcluster::RunReport& report, PathRule rule = PathRule::Same) {
  return path_difference(large(), report, rule);
}

TEST(RunPaths, SmallerGridsAndMessagesAreTheSamePath) { EXPECT_EQ(difference(small()), ""); }

TEST(RunPaths, AnotherTemplateInstanceIsAnotherPath) {
  vcluster::RunReport report = small();
  report.launches[0].kernel = "gemm<16>";
  EXPECT_EQ(difference(report), "it does not come to kernel gemm<64> at a.cu:7");
}

TEST(RunPaths, OneBlockDoesNotStandForSeveral) {
  vcluster::RunReport report = small();
  report.launches[0].grid = {2, 1, 1};
  EXPECT_EQ(difference(report), "kernel gemm<64> at a.cu:7 has one block along y, of 32");
}

TEST(RunPaths, OtherThreadsABlockAreAnotherPath) {
  vcluster::RunReport report = small();
  report.launches[1].block = {16, 1, 1};
  EXPECT_EQ(difference(report), "kernel sum at a.cu:9 has other threads a block");
}

TEST(RunPaths, ACallThatIsNotMadeIsNamed) {
  vcluster::RunReport report = small();
  report.traffic.transfers.clear();
  EXPECT_EQ(difference(report), "it does not come to ncclAllGather at a.cu:8");
}

// A kernel keeps sizes up; messages alone do not.
TEST(RunPaths, FewBytesDoNotStandForManyWhereNoKernelRuns) {
  vcluster::RunReport of_case = large(), report = small();
  of_case.traffic.transfers[0].bytes = 1 << 20;
  EXPECT_EQ(path_difference(of_case, report, PathRule::Same), "");
  of_case.launches.clear(), report.launches.clear();
  EXPECT_EQ(path_difference(of_case, report, PathRule::Same), "ncclAllGather at a.cu:8 moves 64 bytes, of 1048576");
  report.traffic.transfers[0].bytes = 64 << 10;
  EXPECT_EQ(path_difference(of_case, report, PathRule::Same), "");
}

TEST(RunPaths, AKernelThatTheCaseLacksCountsUnlessDataDecide) {
  vcluster::RunReport report = small();
  report.launches.push_back({"tail", "a.cu:11", 1, {1, 1, 1}, {32, 1, 1}});
  EXPECT_EQ(difference(report), "it comes to kernel tail at a.cu:11, which it does not at the case");
  EXPECT_EQ(difference(report, PathRule::Holds), "");
}

TEST(RunPaths, AnErrorAtTheEndCountsUnlessDataDecide) {
  vcluster::RunReport report = small();
  report.verdict = "exit", report.exit_code = 3;
  EXPECT_EQ(difference(report), "it ends with code 3");
  EXPECT_EQ(difference(report, PathRule::Holds), "");
  report.launches.clear();
  EXPECT_EQ(difference(report, PathRule::Holds), "it does not come to kernel gemm<64> at a.cu:7; it ends with code 3");
}

TEST(RunPaths, ADeadlockCountsAlways) {
  vcluster::RunReport report = small();
  report.verdict = "deadlock";
  report.findings = {{"deadlock", 0, "rank 0 waits"}};
  EXPECT_EQ(difference(report, PathRule::Holds), "it ends with deadlock: rank 0 waits");
}

}  // namespace
}  // namespace cuco::evaluate
