#include "evolve/baselines.h"

#include <gtest/gtest.h>

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

TEST(Baselines, LimitsEndWhereTheExecutorDoes) {
  EXPECT_EQ(cta_limits(32), (std::vector<uint32_t>{2, 4, 8, 16, 32}));
  EXPECT_EQ(cta_limits(9), (std::vector<uint32_t>{2, 4, 8}));
  EXPECT_TRUE(cta_limits(1).empty());
}

TEST(Baselines, BothFormsRunUnderEveryLimitOnce) {
  std::vector<store::File> windows = {{"program.cu", "windows"}};
  std::vector<store::Candidate> found = further_baselines(as_written(), windows, {4, 8}, 8);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].intent, "NCCL with at most 4 CTAs.");
  EXPECT_EQ(found[1].intent, "NCCL on symmetric windows with at most 4 CTAs.");
  EXPECT_EQ(found[2].files, windows);
  EXPECT_EQ(variables_of(found[2]), (gpu::Variables{{"NCCL_MAX_CTAS", "8"}}));
}

TEST(Baselines, WithoutWindowsThereIsTheProgramAlone) {
  std::vector<store::Candidate> found = further_baselines(as_written(), std::nullopt, {2, 4}, 0);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].files, as_written().files);
}

TEST(Baselines, OnlyPlansOfTheHostLimitNccl) {
  store::Candidate candidate = as_written();
  EXPECT_TRUE(variables_of(candidate).empty());
  candidate.plan = "s1 lsa/stream/flag/multi-cta/whole\nschedule ctas=4\n";
  EXPECT_TRUE(variables_of(candidate).empty());
}

}  // namespace
}  // namespace cuco::evolve
