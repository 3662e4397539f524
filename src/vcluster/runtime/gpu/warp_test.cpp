#include "vcluster/runtime/gpu/warp.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

TEST(Warp, MeetingClosesWhenEveryLaneOfItsMaskHasCome) {
  Warp warp;
  warp.reset(~0u);
  Meeting* meeting = warp.join(0, 0b11, 7);
  EXPECT_TRUE(meeting->open);
  EXPECT_EQ(warp.join(1, 0b11, 8), meeting);
  EXPECT_FALSE(meeting->open);
  EXPECT_EQ(meeting->offers[0], 7u);
  EXPECT_EQ(meeting->offers[1], 8u);
}

TEST(Warp, DifferentMasksMeetApart) {
  Warp warp;
  warp.reset(~0u);
  EXPECT_NE(warp.join(0, 0b0011, 1), warp.join(2, 0b1100, 2));
}

TEST(Warp, LaneThatLeavesCompletesTheMeetingOfTheOthers) {
  Warp warp;
  warp.reset(0b11);
  Meeting* meeting = warp.join(0, 0b11, 1);
  const Meeting* closed = nullptr;
  warp.exit(1, [&](const Meeting& other) { closed = &other; });
  EXPECT_EQ(closed, meeting);
  EXPECT_EQ(meeting->arrived, 0b01u);
}

TEST(Warp, OffersStayUntilEveryLaneHasRead) {
  Warp warp;
  warp.reset(0b11);
  Meeting* first = warp.join(0, 0b11, 1);
  warp.join(1, 0b11, 2);
  Warp::leave(first, 0);
  EXPECT_NE(warp.join(0, 0b11, 3), first);
}

}  // namespace
}  // namespace cuco::vcluster
