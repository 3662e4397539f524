#include "evaluate/verdict.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

Verdict timed_verdict() {
  Verdict verdict;
  verdict.reached = Level::Timed;
  verdict.schedules_run = 4;
  verdict.findings.push_back(
      {Level::Verified, "leak", model::Severity::Warning, 1, "a \"stream\"\nis never destroyed", 3, "cuco x"});
  Timing timing;
  timing.median_us = 100.1;
  timing.least_us = 0.1 + 0.2;
  timing.most_us = 101;
  timing.rank_us = {99, 100.1};
  timing.path = {60, 1, 30, 5, 4.1};
  timing.bound_compute_us = 60;
  timing.bound_communication_us = 40;
  verdict.timing = timing;
  verdict.baseline_us = 140.1;
  verdict.notes = {"no nvcc here"};
  return verdict;
}

TEST(Verdict, JsonReadsBackAsItWasWritten) {
  std::string json = to_json(timed_verdict());
  EXPECT_EQ(to_json(verdict_from_json(json)), json);
  Verdict read = verdict_from_json(json);
  EXPECT_EQ(read.findings[0].text, "a \"stream\"\nis never destroyed");
  EXPECT_EQ(read.timing->least_us, 0.1 + 0.2);
}

Verdict measured_verdict() {
  Verdict verdict = timed_verdict();
  verdict.executor = "one-gpu";
  verdict.timing->spread_us = 2.5;
  Measurement measurement;
  measurement.machine = "one GPU of a kind, NCCL 2.30.7";
  measurement.iterations = 10;
  measurement.before = {1980, 3201, 41, 118.5, ""};
  measurement.after = {1755, 3201, 66, 598.5, "power"};
  measurement.baseline = *verdict.timing;
  measurement.baseline->median_us = 140.1;
  verdict.measurement = measurement;
  return verdict;
}

TEST(Verdict, MeasurementReadsBackAsItWasWritten) {
  std::string json = to_json(measured_verdict());
  EXPECT_EQ(to_json(verdict_from_json(json)), json);
  Verdict read = verdict_from_json(json);
  EXPECT_EQ(read.executor, "one-gpu");
  EXPECT_EQ(read.timing->spread_us, 2.5);
  EXPECT_EQ(read.measurement->after.throttled, "power");
  EXPECT_EQ(read.measurement->baseline->median_us, 140.1);
}

TEST(Verdict, RanksThatWaitedForACoreMakeATimeDoubtful) {
  Verdict verdict = measured_verdict();
  verdict.timing->waited_share = 0.05;
  EXPECT_EQ(timing_doubt(verdict), "");
  verdict.timing->waited_share = 0.234;
  verdict = verdict_from_json(to_json(verdict));
  EXPECT_EQ(own_timing_doubt(verdict), "a thread of a rank waited for a core for 23.4 % of the time, more than 5.0 %");
  EXPECT_EQ(timing_doubt(verdict), own_timing_doubt(verdict));
}

TEST(Verdict, BaselineThatWaitedForACoreMakesTheComparisonDoubtful) {
  Verdict verdict = measured_verdict();
  verdict.measurement->baseline->waited_share = 0.5;
  EXPECT_EQ(own_timing_doubt(verdict), "");
  EXPECT_EQ(timing_doubt(verdict),
            "in the baseline's run a thread of a rank waited for a core for 50.0 % of the time, more than 5.0 %");
}

TEST(Verdict, VirtualClusterLeavesNoTraceOfOtherExecutors) {
  std::string json = to_json(timed_verdict());
  for (const char* field : {"executor", "measurement", "spread", "waited"})
    EXPECT_EQ(json.find(field), std::string::npos) << field;
}

TEST(Verdict, TextOfAMeasurementNamesTheMachineAndNoCriticalPath) {
  std::string text = to_text(measured_verdict());
  EXPECT_NE(text.find("measured on one-gpu: one GPU of a kind, NCCL 2.30.7"), std::string::npos) << text;
  EXPECT_NE(text.find("after: 1755 MHz, memory 3201 MHz, 66 C, 598.5 W, held down by power"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("exposed communication"), std::string::npos) << text;
}

TEST(Verdict, WhatIsNotAVerdictReadsAsNothingReached) {
  for (const char* text : {"", "[]", "{\"reached\": 7}", "{\"findings\": [1]}", "{\"reached\": \"timed\""})
    EXPECT_EQ(verdict_from_json(text).reached, Level::None) << text;
}

TEST(Verdict, WarningsPassAndErrorsDoNot) {
  Verdict verdict = timed_verdict();
  EXPECT_TRUE(verdict.passed());
  verdict.findings[0].severity = model::Severity::Error;
  EXPECT_FALSE(verdict.passed());
}

TEST(Verdict, HiddenShareIsOfWhatLiesAboveTheBound) {
  Verdict verdict = timed_verdict();
  EXPECT_NEAR(*hidden_share(verdict), 40.0 / 80.1, 1e-12);
  verdict.baseline_bound_us = verdict.timing->bound_us() + 10;
  EXPECT_NEAR(*hidden_share(verdict), 40.0 / 80.1, 1e-12) << "the lower bound counts";
  verdict.baseline_bound_us = verdict.timing->bound_us() - 10;
  EXPECT_NEAR(*hidden_share(verdict), 40.0 / 90.1, 1e-12);
  verdict.baseline_us = 50;
  EXPECT_FALSE(hidden_share(verdict)) << "a baseline at its bound has nothing to hide";
  verdict.baseline_us.reset();
  EXPECT_FALSE(hidden_share(verdict));
}

TEST(Verdict, SaysWhereItWasProvedAndHowMuchOfTheCaseRan) {
  Verdict verdict = timed_verdict();
  verdict.timing->sampled = true;
  verdict.timing->blocks_run = 0.0137;
  verdict.proved_at = {"m=128 (of 8192)", "m=96 (of 8192)"};
  verdict.work = WorkShare{0.5, 2};
  std::string json = to_json(verdict);
  EXPECT_EQ(to_json(verdict_from_json(json)), json);
  std::string text = to_text(verdict);
  EXPECT_TRUE(
      text.starts_with("passed: reached 'timed', 4 schedules at 2 sizes run\n"
                       "proved at m=128 (of 8192); m=96 (of 8192)\n"))
      << text;
  EXPECT_NE(text.find("common start, 1.4 % of the blocks run in full\n"), text.npos) << text;
  verdict.findings[0].severity = model::Severity::Error;
  EXPECT_STREQ(outcome_of(verdict), "rejected");
}

TEST(Verdict, TextNamesLevelFindingsAndTimes) {
  std::string text = to_text(timed_verdict());
  EXPECT_NE(text.find("passed: reached 'timed', 4 schedules run"), std::string::npos) << text;
  EXPECT_NE(text.find("warning: leak, rank 1, seed 3:"), std::string::npos) << text;
  EXPECT_NE(text.find("time 100.100 us"), std::string::npos) << text;
  EXPECT_NE(text.find("49.9 % of what can be hidden is"), std::string::npos) << text;
  EXPECT_NE(text.find("note: no nvcc here"), std::string::npos) << text;
}

TEST(Verdict, TheReasonOfARejectionIsItsFirstLine) {
  Verdict verdict = timed_verdict();
  verdict.reached = Level::Built;
  Finding deadlock{Level::Verified, "deadlock", model::Severity::Error, 0, "rank 3 never came", 2, "cuco x --seed 2"};
  deadlock.other_ranks = {1, 2};
  verdict.findings.push_back(deadlock);
  EXPECT_TRUE(
      to_text(verdict).starts_with("rejected: deadlock, ranks 0-2, seed 2: rank 3 never came\n"
                                   "    repeat: cuco x --seed 2\n"
                                   "  warning: leak, rank 1, seed 3:"))
      << to_text(verdict);
  EXPECT_EQ(verdict_from_json(to_json(verdict)).findings[1].other_ranks, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace cuco::evaluate
