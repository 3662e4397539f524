#include "campaign/time_budget.h"

#include <gtest/gtest.h>

#include "testing/scratch_folder.h"

namespace cuco::campaign {
namespace {

class TimeBudgetTest : public ::testing::Test {
 protected:
  TimeBudget budget(std::optional<double> minutes, bool from_log_alone = false) {
    return TimeBudget(
        minutes, log, [this] { return seconds; }, from_log_alone);
  }

  cuco::testing::ScratchFolder folder;
  store::Log log = *store::Log::open(folder.path() / "log.jsonl");
  double seconds = 0;
};

TEST_F(TimeBudgetTest, WithoutOneThereIsAlwaysTime) {
  seconds = 1e9;
  EXPECT_FALSE(budget(std::nullopt).out_of_time(4).has_value());
  EXPECT_EQ(log.entry_count(), 0u);
}

TEST_F(TimeBudgetTest, EndsWhenItIsSpent) {
  TimeBudget two = budget(2);
  seconds = 119;
  EXPECT_FALSE(two.out_of_time(3).has_value());
  seconds = 121;
  EXPECT_EQ(two.out_of_time(4), "The budget of 2 minutes is spent.");
}

TEST_F(TimeBudgetTest, TimeOfEarlierProcessesCounts) {
  seconds = 50;
  EXPECT_FALSE(budget(1).out_of_time(3).has_value());
  seconds = 11;
  EXPECT_TRUE(budget(1).out_of_time(4).has_value());
}

TEST_F(TimeBudgetTest, DoneAgainFromTheLogItStopsAtTheSameStep) {
  seconds = 100;
  ASSERT_TRUE(budget(1).out_of_time(5).has_value());
  seconds = 1e9;
  TimeBudget again = budget(1, true);
  EXPECT_FALSE(again.out_of_time(4).has_value());
  EXPECT_EQ(again.out_of_time(5), "The budget of 1 minute is spent.");
}

}  // namespace
}  // namespace cuco::campaign
