#include "base/number_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace cuco {
namespace {

TEST(NumberText, HasAsManyDecimalsAsSaySomething) {
  EXPECT_EQ(rounded_text(13014.2), "13014");
  EXPECT_EQ(rounded_text(13.614), "13.61");
  EXPECT_EQ(rounded_text(-0.0042), "-0.004200");
  EXPECT_EQ(rounded_text(0), "0");
  EXPECT_EQ(rounded_text(std::numeric_limits<double>::infinity()), "-");
}

TEST(NumberText, KnowsTheUnitOfATime) {
  EXPECT_EQ(duration(999), "999.0 us");
  EXPECT_EQ(duration(1000), "1.000 ms");
  EXPECT_EQ(duration(18'423), "18.42 ms");
}

TEST(NumberText, RoundsFactorsSharesAndMoney) {
  EXPECT_EQ(factor(1.349), "1.35x");
  EXPECT_EQ(percent(0.916), "92 %");
  EXPECT_EQ(percent(0.916, 1), "91.6 %");
  EXPECT_EQ(dollars(0.414), "$0.41");
  EXPECT_EQ(dollars(0.00414, 4), "$0.0041");
}

TEST(NumberText, HoldsTheLargestNumber) {
  EXPECT_EQ(with_decimals(std::numeric_limits<double>::max(), 1).size(), 311u);
}

}  // namespace
}  // namespace cuco
