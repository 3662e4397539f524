#include "llm/retrying_model.h"

#include <gtest/gtest.h>

#include <vector>

#include "testing/fake_clock.h"

namespace cuco::llm {
namespace {

Reply reply_of(const std::string& text) { return {text, {100, 10, false}, std::nullopt, StopReason::Finished}; }
Failure passing(std::optional<int64_t> retry_after_ms = std::nullopt) {
  return {"HTTP 529: overloaded", true, retry_after_ms, {}};
}

// Gives its attempts in turn; asking for more than there are is a failure of the test.
class ScriptedProvider : public Provider {
 public:
  ScriptedProvider(std::vector<Attempt> attempts, int& count) : attempts_(std::move(attempts)), count_(count) {}
  Attempt attempt(const Prompt&, Progress&) override { return attempts_.at(static_cast<size_t>(count_++)); }

 private:
  std::vector<Attempt> attempts_;
  int& count_;
};

class NotingProgress : public Progress {
 public:
  std::vector<int64_t> waits_ms;
  bool cancel_after_retry = false;

  void on_retry(const std::string&, int64_t wait_ms) override { waits_ms.push_back(wait_ms); }
  bool cancelled() const override { return cancel_after_retry && !waits_ms.empty(); }
};

class RetryingModelTest : public ::testing::Test {
 protected:
  Result<Reply> complete(std::vector<Attempt> attempts, std::optional<Price> price = Price{{10, 100}}) {
    RetryingModel model(std::make_unique<ScriptedProvider>(std::move(attempts), attempt_count),
                        {"test:m", price, RetryPolicy{}}, budget, clock);
    return model.complete({"", {{Role::User, "hello"}}, 1000}, progress);
  }

  testing::FakeClock clock;
  Budget budget{BudgetCaps{}};
  NotingProgress progress;
  int attempt_count = 0;
};

TEST_F(RetryingModelTest, WaitsDoubleWithJitterOfUpToAHalf) {
  Result<Reply> reply = complete({passing(), passing(), passing(), reply_of("yes")});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->text, "yes");
  ASSERT_EQ(progress.waits_ms.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GE(progress.waits_ms[i], 500 << i);
    EXPECT_LE(progress.waits_ms[i], 1000 << i);
  }
  EXPECT_NE(progress.waits_ms[1], 2 * progress.waits_ms[0]);
  EXPECT_EQ(clock.total_sleep_ms(), progress.waits_ms[0] + progress.waits_ms[1] + progress.waits_ms[2]);
}

TEST_F(RetryingModelTest, WaitsAsLongAsTheProviderAsks) {
  ASSERT_TRUE(complete({passing(7000), reply_of("yes")}).ok());
  EXPECT_EQ(progress.waits_ms, std::vector<int64_t>{7000});
}

TEST_F(RetryingModelTest, AWaitBeyondPatienceIsReportedInstead) {
  EXPECT_EQ(complete({passing(3'600'000)}).error().message, "test:m: HTTP 529: overloaded; it asks to wait 3600 s");
  EXPECT_EQ(clock.total_sleep_ms(), 0);
}

TEST_F(RetryingModelTest, WhatCannotPassIsNotRepeated) {
  EXPECT_EQ(complete({Failure{"HTTP 401: wrong key"}}).error().message, "test:m: HTTP 401: wrong key");
  EXPECT_EQ(attempt_count, 1);
}

TEST_F(RetryingModelTest, GivesUpAfterTheLastAttempt) {
  EXPECT_EQ(complete(std::vector<Attempt>(6, passing())).error().message, "test:m: HTTP 529: overloaded (attempt 6)");
  EXPECT_EQ(attempt_count, 6);
}

TEST_F(RetryingModelTest, CostFollowsFromThePrice) {
  EXPECT_DOUBLE_EQ(complete({reply_of("yes")})->cost_usd.value(), 0.002);
  EXPECT_DOUBLE_EQ(budget.spent().usd, 0.002);
}

TEST_F(RetryingModelTest, AnUnknownPriceLeavesTheCostUnset) {
  EXPECT_FALSE(complete({reply_of("yes")}, std::nullopt)->cost_usd.has_value());
  EXPECT_EQ(budget.spent().unpriced_calls, 1u);
}

// 1000 tokens of output at $100 a million are $0.10 before a word of input.
TEST(CappedModel, ACallThatCouldGoOverTheCapIsNotMade) {
  testing::FakeClock clock;
  Budget budget({.usd = 0.1});
  int attempt_count = 0;
  Progress silent;
  RetryingModel model(std::make_unique<ScriptedProvider>(std::vector<Attempt>{reply_of("yes")}, attempt_count),
                      {"test:m", Price{{10, 100}}, RetryPolicy{}}, budget, clock);
  EXPECT_FALSE(model.complete({"", {{Role::User, "hello"}}, 1000}, silent).ok());
  EXPECT_EQ(attempt_count, 0);
  EXPECT_TRUE(model.complete({"", {{Role::User, "hello"}}, 900}, silent).ok());
}

TEST(CappedModel, RepeatedAttemptsMustFitTheBudgetToo) {
  testing::FakeClock clock;
  Budget budget({.usd = 0.15});
  int attempt_count = 0;
  Progress silent;
  Failure cut{"broken off", true, std::nullopt, {100, 900, true}};
  RetryingModel model(std::make_unique<ScriptedProvider>(std::vector<Attempt>{cut, reply_of("yes")}, attempt_count),
                      {"test:m", Price{{10, 100}}, RetryPolicy{}}, budget, clock);
  Result<Reply> reply = model.complete({"", {{Role::User, "hello"}}, 1000}, silent);
  ASSERT_FALSE(reply.ok());
  EXPECT_NE(reply.error().message.find("$0.0910 of $0.1500 are spent"), std::string::npos) << reply.error().message;
  EXPECT_EQ(attempt_count, 1);
}

TEST_F(RetryingModelTest, RefusedAttemptsCountAsNoCall) {
  ASSERT_TRUE(complete({passing(), passing(), reply_of("yes")}).ok());
  EXPECT_EQ(budget.spent().calls, 1u);
}

TEST_F(RetryingModelTest, CancellationEndsTheWait) {
  progress.cancel_after_retry = true;
  EXPECT_EQ(complete({passing(), reply_of("yes")}).error().message, "test:m: the call was cancelled");
  EXPECT_EQ(clock.total_sleep_ms(), 0);
}

}  // namespace
}  // namespace cuco::llm
