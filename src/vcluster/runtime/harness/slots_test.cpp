#include "vcluster/runtime/harness/slots.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

TEST(Slots, FirstUseIsNewAndSecondIsNot) {
  Slots slots;
  EXPECT_TRUE(slots.use(100, 8));
  EXPECT_FALSE(slots.use(100, 8));
  EXPECT_FALSE(slots.use(104, 2));
}

TEST(Slots, NeighboursAreSlotsOfTheirOwn) {
  Slots slots;
  EXPECT_TRUE(slots.use(100, 8));
  EXPECT_TRUE(slots.use(108, 8));
  EXPECT_TRUE(slots.use(92, 8));
  EXPECT_FALSE(slots.use(92, 24));
}

TEST(Slots, BytesThatAreNewInPartAreOfAnOldSlot) {
  Slots slots;
  EXPECT_TRUE(slots.use(100, 8));
  EXPECT_FALSE(slots.use(104, 8));
  EXPECT_FALSE(slots.use(96, 32));
  EXPECT_FALSE(slots.use(120, 4));
  EXPECT_TRUE(slots.use(128, 1));
}

}  // namespace
}  // namespace cuco::vcluster
