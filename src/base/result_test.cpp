#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

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

}  // namespace
}  // namespace cuco
