#include "footprint/launch_relations.h"

#include <gtest/gtest.h>

namespace cuco::footprint {

namespace {

using model::TracedLaunch;

// A launch with a grid of n / 32 x m blocks, whose arguments are n, k and always 7.
TracedLaunch product(int64_t n, int64_t k, uint32_t m) {
  TracedLaunch launch;
  launch.grid = {static_cast<uint32_t>(n / 32), m, 1};
  launch.numbers = {{1, 0, n}, {2, 0, k}, {3, 0, 7}};
  return launch;
}

const LaunchNumber kN{1, 0}, kK{2, 0}, kSeven{3, 0};

class Relations : public ::testing::Test {
 protected:
  LaunchRelations of(int dimension) const {
    std::vector<const TracedLaunch*> pointers;
    for (const TracedLaunch& launch : launches) pointers.push_back(&launch);
    return relations_of(pointers, dimension);
  }

  std::vector<TracedLaunch> launches = {product(64, 96, 3), product(128, 96, 5), product(64, 32, 4)};
};

TEST_F(Relations, WhatOtherNumbersExplainIsARelation) {
  EXPECT_EQ(of(1).guard({64, 1, 1}),
            (LaunchGuard{{0, 0, 1}, {64, 1, 1}, {{kSeven, Term{7}}, {{0, 0, 0}, Term{1, 32, {kN}, std::nullopt}}}}));
}

TEST_F(Relations, ValuesAreProductsOfFreeNumbers) {
  EXPECT_EQ(of(1).explain({4 * 64 * 96, 4 * 128 * 96, 4 * 64 * 32}), (Term{4, 1, {kN, kK}, std::nullopt}));
  EXPECT_EQ(of(1).explain({128, 256, std::nullopt}), (Term{2, 1, {kN}, std::nullopt}));
}

TEST_F(Relations, ValuesThatFollowNoRuleHaveNoTerm) { EXPECT_FALSE(of(1).explain({100, 101, 7003})); }

// Two numbers that always go together are not told apart, so they have to go together at run time.
TEST_F(Relations, NumbersThatGoTogetherMustGoTogether) {
  launches = {product(64, 128, 3), product(128, 256, 3)};
  EXPECT_EQ(of(1).guard({}).relations[0], (Relation{kK, Term{2, 1, {kN}, std::nullopt}}));
}

TEST_F(Relations, OneLaunchFixesEverything) {
  launches = {product(64, 96, 3)};
  EXPECT_EQ(of(1).guard({}), (LaunchGuard{{2, 3, 1}, {}, {{kN, Term{64}}, {kK, Term{96}}, {kSeven, Term{7}}}}));
}

}  // namespace
}  // namespace cuco::footprint
