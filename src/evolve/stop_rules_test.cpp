#include "evolve/stop_rules.h"

#include <gtest/gtest.h>

#include "evolve/fixtures.h"

namespace cuco::evolve {
namespace {

Member bounded(double us, double bound_us) {
  Member member = member_with(2, us);
  member.verdict.timing->bound_compute_us = bound_us;
  return member;
}

TEST(StopRules, BoundIsTheLowerOneOfBaselineAndMember) {
  EXPECT_DOUBLE_EQ(*bound_share(bounded(1000, 400), bounded(500, 450)), 0.8);
  EXPECT_DOUBLE_EQ(*bound_share(bounded(1000, 400), bounded(500, 100)), 0.2);
  EXPECT_FALSE(bound_share(bounded(1000, 400), member_with(2, {})).has_value());
}

TEST(StopRules, TheOrderOfTheKernelsIsNoReasonToStop) {
  Member baseline = bounded(1000, 400), best = bounded(500, 400);
  baseline.verdict.timing->bound_order_us = best.verdict.timing->bound_order_us = 500;
  EXPECT_FALSE(reason_to_stop({}, {5, 0, &baseline, &best}));
}

TEST(StopRules, JustBelowTheBoundGoesOn) {
  SearchOptions options;
  Member baseline = bounded(1000, 490), near = bounded(500.1, 490), reached = bounded(500, 490);
  EXPECT_FALSE(reason_to_stop(options, {5, 0, &baseline, &near}));
  EXPECT_EQ(reason_to_stop(options, {5, 0, &baseline, &reached}), "#2 reaches 98 % of the speed of light.");
}

TEST(StopRules, BaselineNearItsBoundIsNotEnough) {
  SearchOptions options;
  Member baseline = bounded(1000, 990), slower = bounded(1001, 990), some = bounded(995, 990), all = bounded(990, 990);
  EXPECT_FALSE(reason_to_stop(options, {5, 0, &baseline, &slower}));
  EXPECT_FALSE(reason_to_stop(options, {5, 0, &baseline, &some}));
  EXPECT_EQ(reason_to_stop(options, {5, 0, &baseline, &all}), "#2 reaches 100 % of the speed of light.");
}

TEST(StopRules, NearTheBoundGoesOnWhileMuchIsNotHidden) {
  Member baseline = bounded(1025, 1000), some = bounded(1005, 1000), nearly_all = bounded(1000.5, 1000);
  EXPECT_FALSE(reason_to_stop({}, {5, 0, &baseline, &some}));
  EXPECT_EQ(reason_to_stop({}, {5, 0, &baseline, &nearly_all}), "#2 reaches 99.9 % of the speed of light.");
}

TEST(StopRules, PlateauAndBudgetCountEvaluations) {
  SearchOptions options;
  options.budget_evaluations = 40;
  options.plateau = 24;
  Member baseline = bounded(1000, 100);
  EXPECT_FALSE(reason_to_stop(options, {39, 23, &baseline, &baseline}));
  EXPECT_EQ(reason_to_stop(options, {39, 24, &baseline, &baseline}), "The last 24 evaluations found nothing faster.");
  EXPECT_EQ(reason_to_stop(options, {40, 0, &baseline, &baseline}), "The budget of 40 evaluations is spent.");
  options.plateau = 0;
  EXPECT_FALSE(reason_to_stop(options, {39, 39, &baseline, &baseline}));
}

}  // namespace
}  // namespace cuco::evolve
