#include "base/median.h"

#include <gtest/gtest.h>

namespace cuco {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfBothMiddleValues) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({9, 1, 2, 4}), 3);
}

}  // namespace
}  // namespace cuco
