#include "vcluster/runtime/recording/touch_stamps.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {

namespace {

constexpr uintptr_t kPlace = 0x1234'0000;

TEST(TouchStamps, KnowsWhatTheRunningBlockTouchedInThatWay) {
  TouchStamps stamps;
  stamps.run_as(stamps.next_stamp());
  EXPECT_FALSE((stamps.knows<4, false>(kPlace)));
  stamps.note(kPlace, 4, true, false);
  EXPECT_TRUE((stamps.knows<4, false>(kPlace)));
  EXPECT_TRUE((stamps.knows<2, false>(kPlace + 2)));
  EXPECT_FALSE((stamps.knows<4, true>(kPlace)));
  EXPECT_FALSE((stamps.knows<8, false>(kPlace)));
}

TEST(TouchStamps, KnowsNothingOfAnotherBlock) {
  TouchStamps stamps;
  uint32_t first = stamps.next_stamp(), second = stamps.next_stamp();
  stamps.run_as(first);
  stamps.note(kPlace, 16, true, true);
  stamps.run_as(second);
  EXPECT_FALSE((stamps.knows<16, false>(kPlace)));
  stamps.note(kPlace + 4, 4, true, false);
  stamps.run_as(first);
  EXPECT_TRUE((stamps.knows<4, true>(kPlace)));
  EXPECT_FALSE((stamps.knows<4, true>(kPlace + 4)));
}

TEST(TouchStamps, TellsSingleBytesOfAWordApart) {
  TouchStamps stamps;
  stamps.run_as(stamps.next_stamp());
  stamps.note(kPlace + 3, 2, false, true);
  EXPECT_TRUE((stamps.knows<1, true>(kPlace + 3)));
  EXPECT_TRUE((stamps.knows<1, true>(kPlace + 4)));
  EXPECT_FALSE((stamps.knows<1, true>(kPlace + 2)));
  EXPECT_FALSE((stamps.knows<1, true>(kPlace + 5)));
}

TEST(TouchStamps, PagesThatShareASlotAreKeptApart) {
  TouchStamps stamps;
  constexpr uintptr_t kSameSlot = uintptr_t{1024} << 16;
  stamps.run_as(stamps.next_stamp());
  stamps.note(kPlace, 4, true, false);
  EXPECT_FALSE((stamps.knows<4, false>(kPlace + kSameSlot)));
  stamps.note(kPlace + kSameSlot, 4, true, false);
  EXPECT_FALSE((stamps.knows<4, false>(kPlace)));
  stamps.note(kPlace, 1, true, false);
  EXPECT_TRUE((stamps.knows<4, false>(kPlace)));
}

}  // namespace

}  // namespace cuco::vcluster
