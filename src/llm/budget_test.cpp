#include "llm/budget.h"

#include <gtest/gtest.h>

namespace cuco::llm {
namespace {

TEST(Budget, RefusesTheCallThatCouldGoOverTheCap) {
  Budget budget({.usd = 1.0});
  Result<Budget::Reservation> first = budget.reserve("m", 0.75);
  ASSERT_TRUE(first.ok());
  budget.settle(*first, true, 0.5);
  EXPECT_TRUE(budget.reserve("m", 0.5).ok());
  EXPECT_EQ(Budget({.usd = 1.0}).reserve("m", 1.01).error().message,
            "this call of m may cost up to $1.0100; $0.0000 of $1.0000 are spent or set aside; raise --budget-usd or "
            "lower the length of the reply");
}

TEST(Budget, CallsUnderWayCount) {
  Budget budget({.usd = 1.0});
  ASSERT_TRUE(budget.reserve("m", 0.75).ok());
  EXPECT_FALSE(budget.reserve("m", 0.75).ok());
  Budget one({.calls = 1});
  ASSERT_TRUE(one.reserve("m", 0.1).ok());
  EXPECT_EQ(one.reserve("m", 0.1).error().message,
            "the budget of 1 call is used up (1 made or under way); raise --budget-calls");
}

TEST(Budget, ARefusedAttemptIsGivenBack) {
  Budget budget({.usd = 1.0, .calls = 1});
  Result<Budget::Reservation> attempt = budget.reserve("m", 1.0);
  ASSERT_TRUE(attempt.ok());
  budget.settle(*attempt, false, std::nullopt);
  EXPECT_TRUE(budget.reserve("m", 1.0).ok());
  EXPECT_EQ(budget.spent().calls, 0u);
}

TEST(Budget, ZeroAllowsNothingThatCosts) {
  EXPECT_FALSE(Budget({.calls = 0}).reserve("m", 0.0).ok());
  EXPECT_FALSE(Budget({.usd = 0.0}).reserve("m", 0.01).ok());
  EXPECT_TRUE(Budget({.usd = 0.0}).reserve("m", 0.0).ok());
}

TEST(Budget, AnUnknownPriceCannotStandUnderACapInUsd) {
  EXPECT_EQ(Budget({.usd = 5.0}).reserve("openai:m", std::nullopt).error().message,
            "the price of openai:m is not known, so that --budget-usd cannot hold; add it to a price file or leave the "
            "cap out");
  Budget calls_only({.calls = 2});
  Result<Budget::Reservation> call = calls_only.reserve("openai:m", std::nullopt);
  ASSERT_TRUE(call.ok());
  calls_only.settle(*call, true, std::nullopt);
  EXPECT_EQ(calls_only.spent().unpriced_calls, 1u);
}

}  // namespace
}  // namespace cuco::llm
