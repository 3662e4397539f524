#include "base/ranges_text.h"

#include <gtest/gtest.h>

namespace cuco {
namespace {

TEST(RangesText, NeighboursBecomeRanges) {
  EXPECT_EQ(ranges_text({5, 0, 2, 1, 3, 8, 9, 2}), "0-3, 5, 8-9");
  EXPECT_EQ(ranges_text({4}), "4");
  EXPECT_EQ(ranges_text({}), "");
}

TEST(RangesText, RanksAreNamedTogether) {
  EXPECT_EQ(ranks_text(2, {}), "rank 2");
  EXPECT_EQ(ranks_text(2, {0, 1, 5}), "ranks 0-2, 5");
  EXPECT_EQ(ranks_text(-1, {}), "");
}

}  // namespace
}  // namespace cuco
