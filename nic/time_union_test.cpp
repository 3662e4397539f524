#include "nic/time_union.h"

#include <gtest/gtest.h>

namespace cuco::nic {
namespace {

TEST(NicTimeUnion, OverlapCountsOnce) {
  TimeUnion time;
  EXPECT_EQ(time.add(100, 200), 100);
  EXPECT_EQ(time.add(150, 230), 30);
  EXPECT_EQ(time.add(400, 500), 100);
}

TEST(NicTimeUnion, AStretchThatReachesBackFillsTheGapsBetweenEarlierOnes) {
  TimeUnion time;
  time.add(100, 110);
  time.add(200, 210);
  EXPECT_EQ(time.add(90, 220), 130 - 20);
  EXPECT_EQ(time.add(95, 220), 0);
}

TEST(NicTimeUnion, WhatEndsBeforeItBeginsCoversNothing) {
  TimeUnion time;
  EXPECT_EQ(time.add(100, 100), 0);
  EXPECT_EQ(time.add(100, 90), 0);
  EXPECT_EQ(time.add(90, 120), 30);
}

// Forgetting makes the sum too large, which calls a run late that is not, and never the other way round.
TEST(NicTimeUnion, ForgottenStretchesAreNeverTakenOff) {
  TimeUnion time;
  int64_t total = 0;
  for (int64_t i = 0; i < 2'000; ++i) total += time.add(10 * i, 10 * i + 5);
  EXPECT_EQ(total, 10'000);
  total += time.add(0, 20'000);
  EXPECT_GE(total, 20'000);
}

}  // namespace
}  // namespace cuco::nic
