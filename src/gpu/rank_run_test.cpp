#include "gpu/rank_run.h"

#include <gtest/gtest.h>

#include "gpu/evaluate.h"
#include "gpu/judge.h"
#include "gpu/reference.h"

namespace cuco::gpu {
namespace {

RunOutcome outcome_of(const std::vector<std::string>& reports, const std::string& stopped, int exit_code) {
  RunOutcome outcome;
  outcome.exit_code = exit_code;
  outcome.stopped = stopped;
  std::vector<bool> complete;
  for (uint32_t rank = 0; rank < reports.size(); rank++) {
    bool is_complete = false;
    take_report(reports[rank], rank, outcome, is_complete);
    complete.push_back(is_complete);
  }
  conclude(complete, outcome);
  return outcome;
}

const std::string kWhole = "enter 0\ncall 0 0 12.5\nenter 1\ncall 1 1 10.25\nover\n";

TEST(RankReport, CallsKeepIterationTimeAndWhetherTheyCount) {
  RunOutcome outcome = outcome_of({kWhole}, "", 0);
  EXPECT_EQ(outcome.end, "ok");
  ASSERT_EQ(outcome.calls.size(), 2u);
  EXPECT_FALSE(outcome.calls[0].is_timed);
  EXPECT_TRUE(outcome.calls[1].is_timed);
  EXPECT_EQ(outcome.calls[1].iteration, 1u);
  EXPECT_EQ(outcome.calls[1].us, 10.25);
}

TEST(RankReport, WaitsForCoresAreThoseOfTheRankThatWaitedLongestInEachTimedCall) {
  RunOutcome outcome = outcome_of({"enter 0\ncall 0 0 50 40\nenter 1\ncall 1 1 100 4\nenter 2\ncall 2 1 100 0\nover\n",
                                   "enter 0\ncall 0 0 50 0\nenter 1\ncall 1 1 90 30\nenter 2\ncall 2 1 80 2\nover\n"},
                                  "", 0);
  EXPECT_DOUBLE_EQ(timing_of(outcome).waited_share, (30.0 + 2.0) / (100 + 100));
}

TEST(RankReport, LineThatIsCutOffIsPassedOver) {
  RunOutcome outcome = outcome_of({"enter 0\ncall 0 0 12.5\nenter 1\ncall 1 1"}, "", 139);
  EXPECT_EQ(outcome.calls.size(), 1u);
  EXPECT_EQ(outcome.end, "signal");
}

TEST(RankReport, RankWithoutAnEndDoesNotPassThoughAllExitWithZero) {
  RunOutcome outcome = outcome_of({kWhole, "enter 0\n"}, "", 0);
  EXPECT_EQ(outcome.end, "exit");
  std::vector<evaluate::Finding> findings = findings_of(outcome, {});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "left_early");
  EXPECT_EQ(findings[0].rank, 1);
}

TEST(RankReport, FaultsOfEveryIterationAreOneFinding) {
  RunOutcome outcome =
      outcome_of({"unwritten 0 my sum 5\nunwritten 1 my sum 6\nleft 1 void late(int)\n" + kWhole}, "", 0);
  std::vector<evaluate::Finding> findings = findings_of(outcome, {});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].text, "output my sum of rank 0 is not written at 5 of its elements in iteration 0");
  EXPECT_EQ(findings[1].kind, "leaking_work");
}

TEST(RankReport, RefusalIsNotAFailureOfTheProgram) {
  RunOutcome outcome = outcome_of({"refused n must be even\n"}, "", 2);
  EXPECT_EQ(outcome.end, "refused");
  EXPECT_EQ(findings_of(outcome, {})[0].kind, "cannot_run");
}

TEST(RankReport, EndShowsWhatTheProgramPrintedAndNotItsLauncher) {
  const std::string rule(74, '-');
  RunOutcome outcome = outcome_of({"enter 0\n"}, "", 3);
  outcome.output = "my check failed\n" + rule + "\nof its own\n" + rule + "\n" + rule + "\nPrimary job terminated\n" +
                   rule + "\nbye\n" + rule + "\nmpirun detected that it exited\n" + rule + "\n";
  EXPECT_EQ(findings_of(outcome, {})[0].text,
            "the program ended with code 3; it printed: my check failed\n" + rule + "\nof its own\n" + rule + "\nbye");
}

const std::vector<SourceFile> kProgram = {{"send.cu", R"(
__device__ void meet(Comm comm) {
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  barrier.sync(ncclCoopCta(), cuda::memory_order_relaxed);
}
template <typename T>
__global__ void tiles_out(T* tiles) {
  block.sync();
  gin.waitSignal(ncclCoopCta(), 0, 1);  // barrier.sync(1)
  meet(comm);
}
__global__ void alone(float* x) { x[0] = 1; }
__global__ void spins(int* flag) {
  while (atomicAdd(flag, 0) == 0) {}
}
)"}};

TEST(HangVerdict, NamesRankIterationKernelAndTheWaitsInItsText) {
  RunOutcome outcome = outcome_of({"enter 0\ncall 0 0 9\nenter 1\n",
                                   "enter 0\ncall 0 0 9\nenter 1\nstuck 1\nkernel void tiles_out<float>(float*)\n"},
                                  "", 86);
  EXPECT_EQ(outcome.end, "hang");
  std::vector<evaluate::Finding> findings = findings_of(outcome, kProgram);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "hang");
  EXPECT_EQ(findings[0].rank, 1);
  EXPECT_EQ(findings[0].text,
            "rank 1 does not return from its region in iteration 1; launched and not done: void "
            "tiles_out<float>(float*), which can wait at send.cu:9 (waitSignal), send.cu:4 (sync)");
}

TEST(HangVerdict, KernelThatCannotWaitHasNoPlaces) {
  RunOutcome outcome = outcome_of({"enter 0\nstuck 0\nkernel alone(float*)\nkernel spins(int*)\n"}, "", 86);
  EXPECT_EQ(findings_of(outcome, kProgram)[0].text,
            "rank 0 does not return from its region in iteration 0; launched and not done: alone(float*); spins(int*), "
            "which can wait at send.cu:14 (a loop)");
}

TEST(HangVerdict, HangWithoutAKernelIsSaidToBeElsewhere) {
  RunOutcome outcome = outcome_of({"enter 0\nstuck 0\n"}, "", 86);
  EXPECT_NE(findings_of(outcome, {})[0].text.find("waits on the host or in a collective"), std::string::npos);
}

TEST(HangVerdict, LimitThatEndedTheRanksIsNamed) {
  RunOutcome outcome = outcome_of({"enter 0\nstuck 0\n"}, "mpirun: more than 8 MiB of files written", 137);
  EXPECT_NE(findings_of(outcome, {})[0].text.find("; the run was ended: mpirun: more than 8 MiB of files written"),
            std::string::npos);
}

RunOutcome timed(const std::vector<std::vector<double>>& ranks) {
  RunOutcome outcome;
  for (uint32_t rank = 0; rank < ranks.size(); rank++)
    for (uint32_t i = 0; i < ranks[rank].size(); i++) outcome.calls.push_back({rank, i, i > 0, ranks[rank][i]});
  return outcome;
}

TEST(GpuTiming, IterationTakesAsLongAsItsSlowestRank) {
  evaluate::Timing timing = timing_of(timed({{900, 10, 30, 20}, {900, 15, 11, 40}}));
  EXPECT_EQ(timing.least_us, 15);
  EXPECT_EQ(timing.median_us, 30);
  EXPECT_EQ(timing.most_us, 40);
  EXPECT_EQ(timing.rank_us, (std::vector<double>{30, 11}));
}

TEST(GpuTiming, HalfThatTakesLongerThanTheWholeIsNoBound) {
  evaluate::Timing timing;
  timing.median_us = 100;
  take_halves(90, 30, timing);
  EXPECT_EQ(timing.bound_compute_us, 90);
  EXPECT_EQ(timing.bound_communication_us, 30);
  take_halves(101, 130, timing);
  EXPECT_EQ(timing.bound_compute_us, 100);
  EXPECT_EQ(timing.bound_communication_us, 0);
}

TEST(GpuTiming, DifferenceWithinEitherSpreadIsNoGain) {
  evaluate::Timing baseline, candidate;
  baseline.median_us = 100;
  baseline.spread_us = 4;
  candidate.median_us = 96.5;
  EXPECT_FALSE(is_faster(candidate, baseline));
  candidate.median_us = 95.5;
  EXPECT_TRUE(is_faster(candidate, baseline));
  EXPECT_FALSE(is_faster(baseline, candidate));
  candidate.spread_us = 5;
  EXPECT_FALSE(is_faster(candidate, baseline));
}

}  // namespace
}  // namespace cuco::gpu
