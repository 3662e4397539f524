#include "report/reasons.h"

#include <gtest/gtest.h>

#include "evaluate/verdict.h"

namespace cuco::report {
namespace {

constexpr const char* kHost = "";
constexpr const char* kFused = "s1 gin/tile-fused/chunk-signal/cta/4KiB\n";
constexpr const char* kBeside = "s1 gin/stream/chunk-signal/cta/4KiB\nschedule streams=1\n";
constexpr const char* kAwaited = "s1 gin/stream/chunk-signal/cta/4KiB\nschedule streams=1 waits=blocks\n";

// A run whose candidates have so many us of exposed communication and 100 us of compute; the last is the best.
struct Tried {
  const char* plan;
  double exposed_us;
};

void add(store::Step& step, const Tried& tried) {
  store::Candidate candidate;
  candidate.id = static_cast<store::Id>(step.candidates.size()) + 1;
  candidate.proposer = candidate.id == 1 ? "baseline" : "rules";
  candidate.plan = tried.plan;
  store::Judgement judgement;
  judgement.candidate = candidate.id;
  judgement.depth = "screen";
  judgement.passed = true;
  judgement.time_us = 100 + tried.exposed_us;
  evaluate::Verdict verdict;
  verdict.timing = evaluate::Timing{};
  verdict.timing->median_us = *judgement.time_us;
  verdict.timing->path.compute_us = 100;
  verdict.timing->path.exposed_communication_us = tried.exposed_us;
  judgement.verdict = evaluate::to_json(verdict);
  step.candidates.push_back(candidate);
  step.judgements.push_back(judgement);
}

RunView run_of(const std::vector<Tried>& all) {
  store::Step step;
  for (const Tried& tried : all) add(step, tried);
  RunView view = view_of({}, {step});
  view.baseline = 1;
  view.best = static_cast<store::Id>(all.size());
  return view;
}

TEST(Reasons, AFusedBestIsComparedWithTheFastestThatIsNot) {
  std::vector<std::string> reasons =
      reasons_of(run_of({{kHost, 80}, {kBeside, 60}, {kBeside, 40}, {kFused, 90}, {kFused, 10}}));
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_EQ(
      reasons[0],
      "In the best program kernels send each part of a message when it is written, and no kernel of communication "
      "follows them.");
  EXPECT_EQ(
      reasons[1],
      "Best #5 takes 110.0 us, 70.00 us less than the baseline: on the slowest rank exposed communication 10.00 us "
      "instead of 80.00 us.");
  EXPECT_EQ(reasons[2],
            "Best #5 takes 110.0 us, 30.00 us less than #3 (gin, stream, chunk-signal, 4KiB, 1 stream), the fastest in "
            "which the program's kernels neither send nor wait: on the slowest rank exposed communication 10.00 us "
            "instead of 40.00 us.");
}

TEST(Reasons, ABestThatIsNotFusedIsComparedWithTheFastestThatIs) {
  std::vector<std::string> reasons = reasons_of(run_of({{kHost, 80}, {kFused, 60}, {kAwaited, 50}, {kBeside, 10}}));
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_EQ(reasons[0], "In the best program messages travel beside kernels that do not need them.");
  EXPECT_NE(reasons[2].find("40.00 us less than #3 ("), std::string::npos) << reasons[2];
  EXPECT_NE(reasons[2].find("the fastest in which the program's kernels send or wait themselves"), std::string::npos);
}

TEST(Reasons, SharesThatHardlyDifferAreLeftOut) {
  std::vector<std::string> reasons = reasons_of(run_of({{kHost, 10.5}, {kFused, 10}}));
  EXPECT_EQ(reasons.back(), "Best #2 takes 110.0 us, 0.5000 us less than the baseline.");
}

TEST(Reasons, TheBaselineNeedsNone) { EXPECT_TRUE(reasons_of(run_of({{kHost, 10}})).empty()); }

Timeline timeline_of(double first_us, size_t kernels) {
  Timeline timeline;
  timeline.tracks.push_back({0, 0, "default stream", false, std::vector<Slice>(kernels, Slice{0, 1, "work"})});
  timeline.tracks.push_back({0, 1, "NIC", true, {{first_us, first_us + 1, "put"}}});
  return timeline;
}

TEST(Reasons, TimelinesSayWhenCommunicationBegins) {
  std::vector<std::string> reasons = reasons_in({{"baseline", timeline_of(90, 5)}, {"best #2", timeline_of(12, 3)}});
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0], "Communication begins after 12.00 us instead of 90.00 us.");
  EXPECT_EQ(reasons[1], "All ranks together have 3 kernels, copies and calls on their streams instead of 5.");
  EXPECT_TRUE(reasons_in({{"baseline", timeline_of(90, 5)}}).empty());
}

TEST(Reasons, CallsOfTheHostCountAsCommunicationAndAsManyItemsAreNoReason) {
  Timeline called = timeline_of(0, 2);
  called.tracks.pop_back();
  called.tracks[0].slices.push_back({70, 90, "ncclAllGather"});
  std::vector<std::string> reasons = reasons_in({{"baseline", called}, {"best #2", timeline_of(12, 3)}});
  EXPECT_EQ(reasons, std::vector<std::string>{"Communication begins after 12.00 us instead of 70.00 us."});
}

}  // namespace
}  // namespace cuco::report
