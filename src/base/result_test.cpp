#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace cuco {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  Result<int> value = 3;
  Result<int> error = Error{"x.cu:1:2: no"};
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 3);
  EXPECT_FALSE(error);
  EXPECT_EQ(error.error().message, "x.cu:1:2: no");
}

TEST(Result, ValueCanBeMovedOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(ResultDeathTest, ValueOfAnErrorIsABug) {
  Result<int> error = Error{"no"};
  EXPECT_EXIT(static_cast<void>(error.value()), ::testing::ExitedWithCode(70), "bug in cuco");
}

TEST(ResultDeathTest, ErrorOfAValueIsABug) {
  Result<int> value = 1;
  EXPECT_EXIT(static_cast<void>(value.error()), ::testing::ExitedWithCode(70), "bug in cuco");
}

Result<int> digit(char c) {
  if (c < '0' || c > '9') return Error{std::string(1, c)};
  return c - '0';
}

Result<std::string> doubled(const std::string& text) {
  int sum = 0;
  for (char c : text) {
    CUCO_TRY(int value, digit(c));
    sum += value;
  }
  CUCO_TRY(int first, digit(text.front()));
  return std::to_string(2 * sum - first);
}

Status both_digits(char a, char b) {
  CUCO_CHECK(digit(a) ? Status(Done{}) : Status(Error{"a"}));
  if (b != ' ') CUCO_CHECK(digit(b) ? Status(Done{}) : Status(Error{"b"}));
  return Done{};
}

TEST(Try, GivesTheValueOrReturnsTheError) {
  EXPECT_EQ(*doubled("12"), "5");
  EXPECT_EQ(doubled("1x").error().message, "x");
}

TEST(Check, GoesOnOrReturnsTheError) {
  EXPECT_TRUE(both_digits('1', '2'));
  EXPECT_TRUE(both_digits('1', ' '));
  EXPECT_EQ(both_digits('x', '2').error().message, "a");
  EXPECT_EQ(both_digits('1', 'y').error().message, "b");
}

}  // namespace
}  // namespace cuco
