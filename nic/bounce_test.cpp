#include "nic/bounce.h"

#include <gtest/gtest.h>

namespace cuco::nic {
namespace {

TEST(BounceArea, RoomsDoNotOverlap) {
  BounceArea area;
  const auto first = area.allocate(kBounceBlockBytes + 1);
  const auto second = area.allocate(1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*second, *first + 2 * kBounceBlockBytes);
}

TEST(BounceArea, HasNoRoomUntilSomeIsReleased) {
  BounceArea area;
  const auto all = area.allocate(kBounceBlocks * kBounceBlockBytes);
  ASSERT_TRUE(all);
  EXPECT_FALSE(area.allocate(1));
  area.release(*all, kBounceBlocks * kBounceBlockBytes);
  EXPECT_TRUE(area.allocate(1));
}

TEST(BounceArea, LongRoomNeedsFreeNeighbours) {
  BounceArea area;
  const auto all = *area.allocate(kBounceBlocks * kBounceBlockBytes);
  for (size_t block = 0; block < kBounceBlocks; block += 2) area.release(all + block * kBounceBlockBytes, 1);
  EXPECT_FALSE(area.allocate(kBounceBlockBytes + 1));
  area.release(all + kBounceBlockBytes, 1);
  EXPECT_EQ(area.allocate(3 * kBounceBlockBytes), all);
}

}  // namespace
}  // namespace cuco::nic
