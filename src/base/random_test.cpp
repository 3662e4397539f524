#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace cuco {
namespace {

// First outputs for seed 0 as published with the reference implementation of SplitMix64.
TEST(Random, FollowsSplitMix64) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(random.next(), 0x06c45d188009454fu);
}

TEST(Random, SameSeedGivesSameDraws) {
  Random a(7), b(7), other(8);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), other.next());
}

TEST(Random, BelowStaysInRangeAndReachesEveryValue) {
  Random random(1);
  std::vector<int> seen(5);
  for (int i = 0; i < 1000; ++i) ++seen.at(random.below(5));
  for (int count : seen) EXPECT_GT(count, 100);
}

TEST(Random, UnitIsInHalfOpenInterval) {
  Random random(2);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    double draw = random.unit();
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    sum += draw;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

TEST(Random, ChanceOfZeroAndOneAreCertain) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(random.chance(0));
    EXPECT_TRUE(random.chance(1));
  }
}

// Chi-square of many draws has mean `freedom` and variance 2 x freedom; 4 standard deviations are crossed about once in
// 10,000 seeds.
TEST(Random, PicksUniformly) {
  std::vector<size_t> cells(300), counts(cells.size());
  std::iota(cells.begin(), cells.end(), size_t{0});
  Random random(2026);
  constexpr double kExpected = 20;
  for (size_t i = 0; i < 20 * cells.size(); ++i) ++counts[random.pick(cells)];
  double sum = 0;
  for (size_t count : counts) sum += std::pow(static_cast<double>(count) - kExpected, 2) / kExpected;
  double freedom = static_cast<double>(cells.size() - 1);
  EXPECT_LT(sum, freedom + 4 * std::sqrt(2 * freedom));
}

TEST(RandomDeathTest, PickFromNothingIsABug) {
  Random random(4);
  std::vector<int> nothing;
  EXPECT_EXIT(random.pick(nothing), ::testing::ExitedWithCode(70), "bug in cuco");
}

}  // namespace
}  // namespace cuco
