#include "rewrite/evidence/unit_facts.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {

namespace {

constexpr uint32_t kInput = 1, kOutput = 2;
constexpr uint64_t kRow = 64;

// Blocks y of a grid of 1 x `count` read a row each with one row around it, and write a row, both from `begin` on.
model::TracedLaunch stencil(uint32_t count, uint64_t begin) {
  model::TracedLaunch launch{"stencil", {1, count, 1}, {32, 1, 1}, {}, {{0, 0, kInput, begin}, {1, 0, kOutput, begin}}};
  for (uint32_t y = 0; y < count; y++) {
    uint64_t first = y == 0 ? 0 : y - 1, last = y + 1 == count ? y + 1 : y + 2, bytes = (last - first) * kRow;
    launch.blocks.push_back({{0, y, 0},
                             {{kInput, false, begin + first * kRow, bytes, bytes, 1, true},
                              {kOutput, true, begin + y * kRow, kRow, kRow, 1, true}},
                             false,
                             {},
                             {}});
  }
  return launch;
}

TEST(UnitFacts, WhatLiesAroundAUnitIsReadWithIt) {
  UnitFacts facts = unit_facts(stencil(8, 4 * kRow));
  ASSERT_EQ(facts.obstacle, "");
  EXPECT_EQ(facts.shape.dimension, 1);
  EXPECT_EQ(facts.shape.grid, (std::array<uint32_t, 3>{1, 0, 1}));
  EXPECT_EQ(facts.shape.uses, (std::vector<UnitUse>{{0, 0, false, false, -int64_t{kRow}, kRow, 3 * kRow},
                                                    {1, 0, true, false, 0, kRow, kRow}}));
}

TEST(UnitFacts, MemoryThatNoPointerLeadsToRunsWhole) {
  model::TracedLaunch launch = stencil(8, 0);
  launch.pointers.pop_back();
  EXPECT_NE(unit_facts(launch).obstacle, "");
}

TEST(UnitFacts, ReadsWithoutARuleMayBeAnywhere) {
  model::TracedLaunch launch = stencil(8, 0);
  std::swap(launch.blocks[2].footprints[0], launch.blocks[6].footprints[0]);
  std::swap(launch.blocks[3].footprints[0], launch.blocks[5].footprints[0]);
  UnitFacts facts = unit_facts(launch);
  ASSERT_EQ(facts.obstacle, "");
  EXPECT_EQ(facts.shape.uses[0], (UnitUse{0, 0, false, true, 0, 0, 0}));
}

TEST(UnitFacts, UnitsThatShareWhatTheyWriteRunWhole) {
  model::TracedLaunch launch = stencil(8, 0);
  launch.blocks[3].footprints[1].begin = 0;
  EXPECT_EQ(unit_facts(launch).obstacle, "its blocks do not write one behind the other along a dimension of its grid");
}

TEST(UnitFacts, AtomicsAndMemoryOfOthersRunWhole) {
  model::TracedLaunch launch = stencil(8, 0);
  launch.blocks[3].updated = {kOutput};
  EXPECT_EQ(unit_facts(launch).obstacle, "its blocks change memory by atomic operations");
  launch.blocks[3].reaches_elsewhere = true;
  EXPECT_EQ(unit_facts(launch).obstacle, "it writes memory that is no buffer of its device");
}

TEST(UnitFacts, LaunchesOfOneShapeTouchWhatEitherTouches) {
  UnitShape shape{1, {1, 0, 1}, {32, 1, 1}, {{1, 0, true, false, 0, kRow, kRow}}}, other = shape, written = shape;
  other.uses.insert(other.uses.begin(), {0, 0, false, false, 0, kRow, kRow});
  ASSERT_TRUE(merge(shape, other));
  EXPECT_EQ(shape.uses, other.uses);
  other.uses[0].stride = 2 * kRow;
  ASSERT_TRUE(merge(shape, other));
  EXPECT_TRUE(shape.uses[0].anywhere);
  written.uses[0].offset = 16;
  EXPECT_FALSE(merge(shape, written));
}

}  // namespace
}  // namespace cuco::rewrite
