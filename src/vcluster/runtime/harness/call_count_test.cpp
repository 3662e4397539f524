#include "vcluster/runtime/harness/call_count.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

// How many calls a rank makes that uses a new slot in each of the first `slots` calls.
uint32_t calls_of(CallCount& count, uint32_t slots, uint64_t operations = 0) {
  uint32_t made = 0;
  do {
    if (made < slots) count.on_new_slot(made);
    made++;
  } while (count.goes_on(made, operations));
  return made;
}

TEST(CallCount, SlotsThatComeRoundInTimeNeedNoMoreCalls) {
  CallCount count({20, 256});
  EXPECT_EQ(calls_of(count, 6), 20u);
  EXPECT_FALSE(count.was_cut());
}

TEST(CallCount, EverySlotIsUsedTwiceMore) {
  CallCount few({20, 256}), many({20, 256});
  EXPECT_EQ(calls_of(few, 8), 24u);
  EXPECT_EQ(calls_of(many, 64), 192u);
  EXPECT_FALSE(many.was_cut());
}

TEST(CallCount, SlotsWithoutEndAreCutAndItIsSaid) {
  CallCount count({20, 256});
  EXPECT_EQ(calls_of(count, 1000), 256u);
  EXPECT_TRUE(count.was_cut());
}

TEST(CallCount, ExactCountsDoNotGrow) {
  CallCount count({30, 30});
  EXPECT_EQ(calls_of(count, 1000), 30u);
  EXPECT_FALSE(count.was_cut());
}

TEST(CallCount, RanksThatComeLaterMakeAsManyCallsAsTheFirst) {
  CallCount count({20, 256});
  EXPECT_EQ(calls_of(count, 0), 20u);
  count.on_new_slot(19);
  EXPECT_TRUE(count.goes_on(19, 0));
  EXPECT_FALSE(count.goes_on(20, 0));
}

TEST(CallCount, LargeCallsAreFewWhereThatIsAllowed) {
  constexpr uint64_t kMany = 1'000'000'000;
  CallCount allowed({20, 20, kFewCalls}), exact({20, 20}), small({20, 20, kFewCalls});
  EXPECT_EQ(calls_of(allowed, 0, kMany), kFewCalls);
  EXPECT_EQ(calls_of(exact, 0, kMany), 20u);
  EXPECT_EQ(calls_of(small, 0, 1000), 20u);
}

TEST(CallCount, CallsThatGrowLargeOnTheWayAreCutAtTheNextFew) {
  CallCount at_once({20, 20, kFewPlainCalls}), later({20, 20, kFewPlainCalls});
  EXPECT_EQ(calls_of(at_once, 0, 30'000'000), kFewPlainCalls);
  EXPECT_TRUE(later.goes_on(kFewPlainCalls, 20'000'000));
  EXPECT_FALSE(later.goes_on(kFewCalls, 50'000'000));
}

TEST(CallCount, FirstRankDecidesWhetherCallsAreLarge) {
  CallCount count({20, 20, kFewCalls});
  EXPECT_TRUE(count.goes_on(kFewCalls, 0));
  EXPECT_TRUE(count.goes_on(kFewCalls, 1'000'000'000)) << "the other is in its next call";
}

}  // namespace
}  // namespace cuco::vcluster
