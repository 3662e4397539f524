#include "evaluate/judging/work_share.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

Timing bounds(double compute_us, double communication_us) {
  Timing timing;
  timing.bound_compute_us = compute_us;
  timing.bound_communication_us = communication_us;
  return timing;
}

TEST(WorkShare, IsOfTheBaselinesBounds) {
  WorkShare share = work_share(bounds(30, 5), bounds(60, 10));
  EXPECT_EQ(share.compute, 0.5);
  EXPECT_EQ(share.bytes, 0.5);
  EXPECT_EQ(work_share(bounds(30, 0), bounds(60, 0)).bytes, 1) << "a baseline that sends nothing";
}

TEST(MissingWork, NothingAtAllIsFoundWithoutAProof) {
  EXPECT_EQ(missing_work({0, 1}, {}), "it computes nothing in its timed region at this size, where the baseline does");
  EXPECT_EQ(missing_work({1, 0}, {}), "it sends nothing in its timed region at this size, where the baseline does");
  EXPECT_EQ(missing_work({0.1, 0.1}, {}), "");
}

TEST(MissingWork, LessThanWhereItWasVerifiedIsFound) {
  EXPECT_EQ(missing_work({0.1, 1}, WorkShare{1, 1}),
            "at this size it computes 10 % of what the baseline does, where it was verified 100 %");
  EXPECT_EQ(missing_work({1, 0.3}, WorkShare{1, 0.6}),
            "at this size it sends 30 % of what the baseline does, where it was verified 60 %");
}

TEST(MissingWork, AsLittleAsWhereItWasVerifiedIsNone) {
  EXPECT_EQ(missing_work({0.55, 0.3}, WorkShare{0.6, 0.3}), "");
  EXPECT_EQ(missing_work({1, 1}, WorkShare{1.9, 3}), "") << "what it adds weighs more at small sizes";
}

}  // namespace
}  // namespace cuco::evaluate
