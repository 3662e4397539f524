#include "vcluster/runtime/gpu/compared_blocks.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

constexpr uintptr_t kFirstBlock = 1 << 20, kRow = 1024;

// Tiles of 64 bytes x 4 rows in a matrix with rows of 1024 bytes.
void write_tile(BlockWrites& seen, const GridSize& grid, uint64_t x, uint64_t y) {
  for (uint64_t row = 0; row < 4; row++) {
    uintptr_t begin = kFirstBlock + (4 * y + row) * kRow + 64 * x;
    seen[x + grid[0] * y].add(begin, begin + 64);
  }
}

TEST(ComparedBlocks, BeginWithTheFirstAndTheLastAndDrawnOnes) {
  std::vector<uint64_t> blocks = first_blocks({16, 8, 1}, 5, false);
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0], 0u);
  EXPECT_EQ(blocks[1], 127u);
  EXPECT_NE(blocks, first_blocks({16, 8, 1}, 6, false));
  EXPECT_EQ(first_blocks({16, 8, 1}, 5, true), (std::vector<uint64_t>{0, 1, 16, 127}));
  EXPECT_EQ(first_blocks({1, 1, 1}, 5, true), std::vector<uint64_t>{0});
}

TEST(ComparedBlocks, WhoWritesAPlaceFollowsFromTheNeighboursOfTheFirst) {
  const GridSize grid = {16, 8, 1};
  BlockWrites seen;
  write_tile(seen, grid, 0, 0);
  write_tile(seen, grid, 1, 0);
  write_tile(seen, grid, 0, 1);
  std::vector<uintptr_t> wanted = {kFirstBlock + (4 * 5 + 2) * kRow + 64 * 9 + 12, kFirstBlock + 70};
  EXPECT_EQ(blocks_that_write(grid, seen, wanted, 8), (std::vector<uint64_t>{9 + 16 * 5, 1}));
  EXPECT_EQ(blocks_that_write(grid, seen, wanted, 1), (std::vector<uint64_t>{9 + 16 * 5}));
  EXPECT_TRUE(blocks_that_write(grid, seen, {kFirstBlock + 40 * kRow, kFirstBlock - 8}, 8).empty()) << "beyond the grid";
}

TEST(ComparedBlocks, GapsAreWhatBlocksBetweenWouldHaveWritten) {
  BlockWrites seen;
  seen[0].add(100, 120);
  seen[3].add(160, 180);
  seen[3].add(120, 130);
  EXPECT_EQ(gaps_between(seen), (std::vector<AddressRange>{{130, 160}}));
}

}  // namespace
}  // namespace cuco::vcluster
