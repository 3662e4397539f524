#include "vcluster/runtime/checkers/vector_clock.h"

#include <gtest/gtest.h>

#include "vcluster/runtime/checkers/clock_keys.h"

namespace cuco::vcluster {
namespace {

ClockPtr clock_of(std::initializer_list<std::pair<uint64_t, uint32_t>> entries) {
  ClockPtr clock = std::make_shared<VectorClock>();
  for (auto [key, value] : entries) clock = raised(clock, key, value);
  return clock;
}

void expect_same(const VectorClock& a, const VectorClock& b) {
  EXPECT_EQ(a.size(), b.size());
  EXPECT_TRUE(a.covers(b));
  EXPECT_TRUE(b.covers(a));
}

TEST(VectorClock, JoinedHasTheLaterOfEachComponent) {
  VectorClock clock = *clock_of({{2, 5}, {4, 1}, {8, 7}});
  clock.join(*clock_of({{1, 3}, {2, 4}, {4, 6}, {5, 2}, {9, 1}}));
  expect_same(clock, *clock_of({{1, 3}, {2, 5}, {4, 6}, {5, 2}, {8, 7}, {9, 1}}));
}

TEST(VectorClock, JoinedWithNothingNewStaysAsItIs) {
  VectorClock clock = *clock_of({{2, 5}, {4, 1}});
  clock.join(*clock_of({{4, 1}}));
  clock.join(VectorClock());
  expect_same(clock, *clock_of({{2, 5}, {4, 1}}));
}

TEST(VectorClock, ManyJoinedAreAsOneAfterTheOther) {
  std::vector<ClockPtr> clocks = {nullptr, clock_of({{3, 1}}), clock_of({{3, 2}, {7, 1}}), clock_of({{1, 4}}),
                                  clock_of({{7, 9}})};
  ManyJoined many;
  ClockPtr one_by_one;
  for (const ClockPtr& clock : clocks) many.add(clock), one_by_one = joined(one_by_one, clock);
  expect_same(*many.result(), *one_by_one);
  EXPECT_EQ(clocks[2]->size(), 2u) << "the clocks themselves stay";
}

TEST(VectorClock, ManyThatOneCoversAreThatOne) {
  ClockPtr small = clock_of({{3, 1}}), large = clock_of({{3, 2}, {7, 1}});
  ManyJoined many;
  for (const ClockPtr& clock : {small, large, small}) many.add(clock);
  EXPECT_EQ(many.result(), large);
}

TEST(VectorClock, LeastOfARangeAsksForEveryComponent) {
  ClockPtr clock = clock_of({{3, 9}, {4, 6}, {5, 7}, {7, 1}});
  EXPECT_EQ(clock->least_between(3, 5), 6u);
  EXPECT_EQ(clock->least_between(3, 6), 0u);
  EXPECT_EQ(clock->least_between(4, 7), 0u);
  EXPECT_EQ(clock->least_between(7, 9), 0u);
}

TEST(VectorClock, WithoutARangeKeepsWhatIsAboveTheValue) {
  ClockPtr clock = clock_of({{3, 9}, {4, 6}, {5, 7}, {7, 1}});
  expect_same(*without(clock, 3, 5, 6), *clock_of({{3, 9}, {5, 7}, {7, 1}}));
  expect_same(*without(clock, 3, 5), *clock_of({{7, 1}}));
}

}  // namespace
}  // namespace cuco::vcluster
