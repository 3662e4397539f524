// Which elements of large outputs the runner captures.
#include <gtest/gtest.h>

#include "cuco/runner/capture.h"

namespace cuco::runner {
namespace {

uint64_t taken(const std::vector<Block>& blocks) {
  uint64_t sum = 0;
  for (const Block& block : blocks) sum += block.count;
  return sum;
}

TEST(RunnerBlocks, OutputThatFitsIsTakenWhole) {
  std::vector<Block> blocks = blocks_of(1000, 1000, {1, 0, 0, 0});
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].first, 0u);
  EXPECT_EQ(blocks[0].count, 1000u);
}

TEST(RunnerBlocks, EveryPartOfALargeOutputHasItsBlock) {
  constexpr uint64_t kCount = 1 << 20, kPart = kCount / kBlocksOfAnOutput;
  std::vector<Block> blocks = blocks_of(kCount, kCount / 10, {1, 2, 3, 0});
  ASSERT_EQ(blocks.size(), kBlocksOfAnOutput);
  for (uint64_t i = 0; i < blocks.size(); i++) {
    EXPECT_GE(blocks[i].first, i * kPart);
    EXPECT_LE(blocks[i].first + blocks[i].count, (i + 1) * kPart);
  }
  EXPECT_LE(taken(blocks), kCount / 10);
  EXPECT_GT(taken(blocks), kCount / 11);
}

TEST(RunnerBlocks, PlacesFollowFromTheKeyAndDifferBetweenIterations) {
  auto places = [](const DrawKey& key) {
    std::vector<uint64_t> first;
    for (const Block& block : blocks_of(1 << 20, 1 << 12, key)) first.push_back(block.first);
    return first;
  };
  EXPECT_EQ(places({{1, 2}, 3, 0}), places({{1, 2}, 3, 0}));
  EXPECT_NE(places({{1, 2}, 3, 0}), places({{1, 2}, 4, 0}));
  EXPECT_NE(places({{1, 2}, 3, 0}), places({{2, 2}, 3, 0}));
}

TEST(RunnerBlocks, FewElementsStayInRange) {
  for (uint64_t count = 1; count < 200; count++)
    for (uint64_t wanted = 0; wanted < count; wanted++)
      for (const Block& block : blocks_of(count, wanted, {count, 0, 0, 0})) ASSERT_LE(block.first + block.count, count);
}

TEST(RunnerBlocks, IterationsTogetherKeepToTheRoom) {
  for (uint32_t calls : {1u, 2u, 12u}) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < calls; i++) sum += room_of(48 << 20, i, calls);
    EXPECT_LE(sum, 48u << 20);
    EXPECT_GT(sum, 40u << 20);
  }
}

}  // namespace
}  // namespace cuco::runner
