#include "evolve/baselines.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "evolve/gpu_evaluator.h"

namespace cuco::evolve {
namespace {

store::Candidate as_written() {
  store::Candidate candidate;
  candidate.proposer = "baseline";
  candidate.plan = "s1 host/deferred/stream-event/cta/whole\n";
  candidate.files = {{"program.cu", "written"}};
  return candidate;
}

BaselineSearch::Texts all_texts() {
  BaselineSearch::Texts texts;
  for (uint32_t slices : {1u, 2u, 4u, 8u}) texts.on_windows[slices] = {{"program.cu", concat("slices ", slices)}};
  return texts;
}

// How a machine times forms: all that are asked for until it is enough.
using Time = std::optional<double> (*)(const store::Candidate&);
std::vector<std::string> asked(const BaselineSearch::Texts& texts, const std::vector<uint32_t>& limits, Time time) {
  BaselineSearch search(as_written(), texts, limits, 8);
  std::vector<std::optional<double>> us = {time(as_written())};
  std::vector<std::string> names;
  for (auto further = search.next(us); !further.empty(); further = search.next(us))
    for (const FurtherBaseline& each : further) {
      us.push_back(time(each.candidate));
      names.push_back(each.candidate.intent);
    }
  return names;
}

bool says(const store::Candidate& candidate, const char* word) {
  return candidate.intent.find(word) != std::string::npos;
}

TEST(Baselines, LimitsEndWhereTheExecutorDoes) {
  EXPECT_EQ(cta_limits(32), (std::vector<uint32_t>{8, 16, 32}));
  EXPECT_EQ(cta_limits(17), (std::vector<uint32_t>{8, 16}));
  EXPECT_EQ(cta_limits(5), (std::vector<uint32_t>{5}));
  EXPECT_TRUE(cta_limits(1).empty());
}

TEST(Baselines, HighLimitsAreTriedAndLowerOnesWhileThatPays) {
  auto names = asked(all_texts(), {8, 16, 32}, [](const store::Candidate& one) -> std::optional<double> {
    return says(one, "32 CTAs") ? 90 : 100;
  });
  EXPECT_EQ(names, (std::vector<std::string>{
                       "NCCL on symmetric windows with at most 32 CTAs.",
                       "NCCL on symmetric windows with at most 16 CTAs.",
                       "NCCL with at most 32 CTAs.",
                       "NCCL on symmetric windows with at most 32 CTAs, compute in 4 slices.",
                       "NCCL on symmetric windows with at most 32 CTAs, compute in 8 slices.",
                   }));
  names = asked(all_texts(), {8, 16, 32}, [](const store::Candidate& one) -> std::optional<double> {
    return says(one, "32 CTAs") ? 110 : says(one, "16 CTAs") ? 100 : 90;
  });
  ASSERT_EQ(names.size(), 5u);
  EXPECT_EQ(names[2], "NCCL on symmetric windows with at most 8 CTAs.");
  EXPECT_EQ(names[3], "NCCL on symmetric windows with at most 8 CTAs, compute in 4 slices.");
}

TEST(Baselines, TwoSlicesOnlyWhereFourBeatEight) {
  auto names = asked(all_texts(), {16, 32}, [](const store::Candidate& one) -> std::optional<double> {
    return says(one, "4 slices") ? 80 : 100;
  });
  EXPECT_EQ(names.back(), "NCCL on symmetric windows with at most 32 CTAs, compute in 2 slices.");
}

TEST(Baselines, FormThatFailsIsNotFollowed) {
  auto names = asked(all_texts(), {16, 32}, [](const store::Candidate& one) -> std::optional<double> {
    return says(one, "windows") ? std::nullopt : std::optional(100.0);
  });
  EXPECT_EQ(names.size(), 2u);
}

TEST(Baselines, WithoutWindowsLimitsAreTriedAlone) {
  auto names = asked({}, {8, 16, 32}, [](const store::Candidate&) -> std::optional<double> { return 100; });
  EXPECT_EQ(names, (std::vector<std::string>{"NCCL with at most 32 CTAs.", "NCCL with at most 16 CTAs."}));
}

TEST(Baselines, FormsHaveTheirTextAndTheirLimit) {
  BaselineSearch search(as_written(), all_texts(), {16}, 8);
  std::vector<FurtherBaseline> first = search.next({100});
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].candidate.files.front().text, "slices 1");
  EXPECT_FALSE(first[0].changes_compute);
  EXPECT_EQ(variables_of(first[0].candidate), (gpu::Variables{{"NCCL_MAX_CTAS", "16"}}));
  std::vector<FurtherBaseline> second = search.next({100, 90});
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[1].candidate.files.front().text, "slices 4");
  EXPECT_TRUE(second[1].changes_compute);
}

TEST(Baselines, OnlyPlansOfTheHostLimitNccl) {
  store::Candidate candidate = as_written();
  EXPECT_TRUE(variables_of(candidate).empty());
  candidate.plan = "s1 lsa/stream/flag/multi-cta/whole\nschedule ctas=4\n";
  EXPECT_TRUE(variables_of(candidate).empty());
}

}  // namespace
}  // namespace cuco::evolve
