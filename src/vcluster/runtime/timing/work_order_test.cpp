#include "vcluster/runtime/timing/work_order.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

TEST(WholeBlocks, AnOddBlockTakesARoundOfItsOwn) {
  EXPECT_EQ(time_in_whole_blocks(std::vector<Time>(9, 10), 2), 50);
  EXPECT_EQ(time_in_whole_blocks(std::vector<Time>(8, 10), 2), 40);
  EXPECT_EQ(time_in_whole_blocks(std::vector<Time>(1, 10), 2), 10);
}

TEST(WholeBlocks, UnevenBlocksCountByTheShortestThatMustMeet) {
  EXPECT_EQ(time_in_whole_blocks({9, 7, 4}, 2), 11) << "two of the three meet, at best the shorter ones";
  EXPECT_EQ(time_in_whole_blocks({30, 1, 1}, 2), 30) << "the longest block";
  EXPECT_EQ(time_in_whole_blocks({4, 4, 1, 1}, 2), 5) << "all of it, spread evenly";
  EXPECT_EQ(time_in_whole_blocks({10, 10, 10, 1, 1, 1, 1}, 2), 20) << "short ones do not make up for a long one";
}

TEST(WholeBlocks, NoBlocksTakeNoTime) { EXPECT_EQ(time_in_whole_blocks({}, 4), 0); }

const std::vector<TimeSpan> kRegion = {{100, 1000}};

TEST(WorkOrder, AddsUpKernelsThatWaitForEachOther) {
  WorkOrder order;
  size_t first = order.add({0, {100, 200}, 50, {}});
  size_t message = order.add({0, {200, 500}, 0, {first}});
  order.add({0, {500, 600}, 70, {message}});
  EXPECT_EQ(order.longest(kRegion, 3, 2), 50 + 3 + 70) << "the message takes no time";
}

TEST(WorkOrder, KernelsBesideEachOtherCountOnce) {
  WorkOrder order;
  size_t fork = order.add({0, {100, 110}, 10, {}});
  size_t left = order.add({0, {110, 300}, 50, {fork}}), right = order.add({0, {110, 300}, 60, {fork}});
  order.add({0, {300, 400}, 5, {left, right}});
  EXPECT_EQ(order.longest(kRegion, 0, 2), 10 + 60 + 5);
}

// Slices of a grid on streams of their own still share the multiprocessors:
//
//   slice 0 -+
//   slice 1 -+- message - reader
//   slice 2 -+
TEST(WorkOrder, SlicesThatComeTogetherHaveSharedTheMultiprocessors) {
  WorkOrder order;
  std::vector<size_t> slices;
  for (int i = 0; i < 3; i++) slices.push_back(order.add({0, {100, 300}, 10, {}, {10}}));
  size_t message = order.add({0, {300, 400}, 0, slices});
  order.add({0, {400, 500}, 7, {message}, {7}});
  EXPECT_EQ(order.longest(kRegion, 1, 2), 20 + 1 + 7) << "two of three whole blocks meet";
  EXPECT_EQ(order.longest(kRegion, 1, 3), 10 + 1 + 7);
}

TEST(WorkOrder, SlicesComeAfterWhatAllOfThemWaitFor) {
  WorkOrder order;
  size_t copy = order.add({0, {100, 105}, 5, {}});
  size_t fork = order.add({0, {105, 115}, 10, {copy}, {10}});
  std::vector<size_t> slices;
  for (int i = 0; i < 3; i++) slices.push_back(order.add({0, {115, 300}, 10, {fork}, {10}}));
  order.add({0, {400, 500}, 7, slices, {7}});
  EXPECT_EQ(order.longest(kRegion, 1, 2), 5 + 1 + 10 + 1 + 20 + 1 + 7);
}

TEST(WorkOrder, ASliceThatNobodyWaitsForIsNotBeforeTheReader) {
  WorkOrder order;
  size_t first = order.add({0, {100, 300}, 10, {}, {10}}), second = order.add({0, {100, 300}, 10, {}, {10}});
  order.add({0, {100, 300}, 10, {}, {10}});
  order.add({0, {400, 500}, 7, {first, second}, {7}});
  EXPECT_EQ(order.longest(kRegion, 1, 2), 10 + 1 + 7);
}

TEST(WorkOrder, BlocksOfAllKernelsOfARankAreDealtOutTogether) {
  WorkOrder order;
  order.add({0, {0, 90}, 0, {}, {70}});
  order.add({0, {100, 200}, 0, {}, {10, 10, 10}});
  order.add({0, {100, 200}, 0, {}, {10}});
  EXPECT_EQ(order.in_whole_blocks(kRegion, 2), 20) << "an odd block of one kernel beside one of another";
}

TEST(WorkOrder, AHostThatHasToWaitNoticesTheEndLater) {
  WorkOrder order;
  size_t kernel = order.add({0, {110, 160}, 50, {}});
  order.add({0, {160, 164}, 0, {kernel}, {}, 105, 4});
  EXPECT_EQ(order.longest(kRegion, 3, 2), 50 + 4);
}

// Without what held up the kernel the host could find it done, and would have nothing to notice.
TEST(WorkOrder, AHostThatMayComeAfterTheEndCountsForNothing) {
  WorkOrder order;
  size_t kernel = order.add({0, {300, 350}, 50, {}});
  order.add({0, {350, 354}, 0, {kernel}, {}, 151, 4});
  EXPECT_EQ(order.longest(kRegion, 3, 2), 50);
}

//   kernel of three blocks -> message: its first bytes are there after the shortest block
TEST(WorkOrder, BytesLeaveWhenABlockInFrontOfThemIsDone) {
  WorkOrder order;
  size_t kernel = order.add({0, {100, 150}, 50, {}, {25, 20, 25}});
  size_t event = order.add({0, {150, 150}, 0, {kernel}});
  order.add({0, {150, 550}, 0, {event}, {}, 0, 0, {{true, 0, 400}}});
  EXPECT_EQ(order.longest(kRegion, 3, 1), 20 + 400);
}

TEST(WorkOrder, BytesThatNoKernelWritesLeaveAtOnce) {
  WorkOrder order;
  order.add({0, {100, 150}, 50, {}, {25, 25}});
  order.add({0, {100, 500}, 0, {}, {}, 0, 0, {{true, 0, 400}}});
  EXPECT_EQ(order.longest(kRegion, 3, 1), 400);
}

TEST(WorkOrder, BytesAreThereWhenWhoSendsThemHasComputed) {
  WorkOrder order;
  order.add({0, {100, 600}, 60, {}, {30, 30}, 0, 0, {{true, 0, 5}, {true, 30, 400}}});
  EXPECT_EQ(order.longest(kRegion, 3, 1), 30 + 400) << "what left before was over by then";
}

TEST(WorkOrder, LinksAndRanksSendBesideEachOther) {
  WorkOrder order;
  order.add({0, {100, 500}, 0, {}, {}, 0, 0, {{true, 0, 300}, {false, 0, 200}}});
  order.add({1, {100, 500}, 0, {}, {}, 0, 0, {{true, 0, 310}}});
  order.add({0, {100, 500}, 0, {}, {}, 0, 0, {{true, 0, 60}}});
  EXPECT_EQ(order.longest({{100, 1000}, {100, 1000}}, 3, 1), 300 + 60);
}

TEST(WorkOrder, LeavesOutWhatIsNotTimed) {
  WorkOrder order;
  size_t warm_up = order.add({0, {0, 90}, 80, {}});
  size_t timed = order.add({0, {100, 200}, 20, {warm_up}});
  order.add({0, {900, 1001}, 30, {timed}});
  EXPECT_EQ(order.longest(kRegion, 3, 2), 20);
}

}  // namespace
}  // namespace cuco::vcluster
