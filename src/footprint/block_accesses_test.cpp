#include "footprint/block_accesses.h"

#include <gtest/gtest.h>

namespace cuco::footprint {
namespace {

using model::Footprint;
using model::TracedLaunch;

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

TEST(UnitAccesses, WhatLiesAroundAUnitIsReadWithIt) {
  UnitAccesses units = unit_accesses(stencil(8, 4 * kRow));
  ASSERT_EQ(units.obstacle, "");
  EXPECT_EQ(units.dimension, 1);
  Access read = run_along(1, -int64_t{kRow}, kRow, 3 * kRow), written = run_along(1, 0, kRow, kRow);
  written.parameter = 1, written.writes = true;
  EXPECT_EQ(units.accesses, (Accesses{read, written}));
}

TEST(UnitAccesses, MemoryThatNoPointerLeadsToRunsWhole) {
  model::TracedLaunch launch = stencil(8, 0);
  launch.pointers.pop_back();
  EXPECT_NE(unit_accesses(launch).obstacle, "");
}

TEST(UnitAccesses, ReadsWithoutARuleMayBeAnywhere) {
  model::TracedLaunch launch = stencil(8, 0);
  std::swap(launch.blocks[2].footprints[0], launch.blocks[6].footprints[0]);
  std::swap(launch.blocks[3].footprints[0], launch.blocks[5].footprints[0]);
  UnitAccesses units = unit_accesses(launch);
  ASSERT_EQ(units.obstacle, "");
  EXPECT_EQ(units.accesses[0], Access{});
}

TEST(UnitAccesses, UnitsThatShareWhatTheyWriteRunWhole) {
  model::TracedLaunch launch = stencil(8, 0);
  launch.blocks[3].footprints[1].begin = 0;
  EXPECT_EQ(unit_accesses(launch).obstacle,
            "its blocks do not write one behind the other along a dimension of its grid");
}

TEST(UnitAccesses, AtomicsAndMemoryOfOthersRunWhole) {
  model::TracedLaunch launch = stencil(8, 0);
  launch.blocks[3].updated = {kOutput};
  EXPECT_EQ(unit_accesses(launch).obstacle, "its blocks change memory by atomic operations");
  launch.blocks[3].reaches_elsewhere = true;
  EXPECT_EQ(unit_accesses(launch).obstacle, "it writes memory that is no buffer of its device");
}

// Blocks of a launch along x, each with what it writes of buffer 1.
TracedLaunch runs_of(const std::vector<Footprint>& written) {
  TracedLaunch launch{"fill", {static_cast<uint32_t>(written.size()), 1, 1}, {32, 1, 1}, {}, {{0, 0, 1, 64}}};
  for (uint32_t i = 0; i < written.size(); i++) launch.blocks.push_back({{i, 0, 0}, {written[i]}, false, {}, {}});
  return launch;
}
Footprint run_at(uint64_t begin, uint64_t bytes) { return {1, true, begin, bytes, 0, 1, true}; }

TEST(WrittenTiles, RunsOneBehindTheOtherAreFilled) {
  Access tiles = written_tiles(runs_of({run_at(64, 128), run_at(192, 128), run_at(320, 100)}), 1);
  EXPECT_EQ(tiles, (Access{0, 0, true, 64, {128, 0, 0}, 128, 128, 1, 384}));
}

TEST(WrittenTiles, BlocksThatShareBytesHaveARun) {
  Access tiles = written_tiles(runs_of({run_at(0, 256), run_at(128, 256), run_at(256, 256)}), 1);
  EXPECT_EQ(tiles, (Access{0, 0, true, 0, {128, 0, 0}, 256, 256, 1, 0}));
}

TEST(WrittenTiles, BlocksInNoOrderAreOneRun) {
  Access tiles = written_tiles(runs_of({run_at(128, 128), run_at(0, 128), run_at(256, 128)}), 1);
  EXPECT_EQ(tiles.filled, 0);
  EXPECT_LE(tiles.offset, 0);
  EXPECT_GE(tiles.offset + 2 * tiles.steps[0] + tiles.bytes, 384);
}

constexpr uint32_t kSent = 2;
constexpr uint64_t kPitch = 256, kBegin = 4096;

// Blocks (x, y) of a grid of 4 x 8 write two rows of 64 bytes each.
model::TracedLaunch product() {
  model::TracedLaunch launch;
  launch.kernel = "product", launch.grid = {4, 8, 1}, launch.block = {32, 1, 1};
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 4; x++)
      launch.blocks.push_back(
          {{x, y, 0}, {{kSent, true, kBegin + y * 2 * kPitch + x * 64, 64, kPitch, 2, true}}, false, {}, {}});
  return launch;
}
Access tiles_of(const model::TracedLaunch& launch, uint64_t bytes = 16 * kPitch) {
  return equal_tiles(launch, kSent, kBegin, bytes);
}

TEST(EqualTiles, IsAffineInTheIndexOfTheBlock) {
  EXPECT_EQ(tiles_of(product()), (Access{0, 0, true, 0, {64, 2 * kPitch, 0}, 64, kPitch, 2}));
}

TEST(EqualTiles, OneRunIsOnePiece) {
  model::TracedLaunch launch = product();
  launch.grid = {2, 1, 1};
  launch.blocks = {{{0, 0, 0}, {{kSent, true, kBegin, 128, 128, 1, true}}, false, {}, {}},
                   {{1, 0, 0}, {{kSent, true, kBegin + 128, 128, 64, 1, true}}, false, {}, {}}};
  EXPECT_EQ(tiles_of(launch, 256), (Access{0, 0, true, 0, {128, 0, 0}, 128, 128, 1}));
}

TEST(EqualTiles, ReadsAndOtherBuffersDoNotCount) {
  model::TracedLaunch launch = product();
  launch.blocks[3].footprints.push_back({kSent, false, 0, 4, 4, 1, true});
  launch.blocks[3].footprints.push_back({kSent + 1, true, 0, 4, 4, 1, true});
  EXPECT_EQ(tiles_of(launch).count, 2);
}

TEST(EqualTiles, ABlockThatIsNotAffineForbidsIt) {
  model::TracedLaunch launch = product();
  std::swap(launch.blocks[5].footprints, launch.blocks[6].footprints);
  EXPECT_EQ(tiles_of(launch), Access{});
}

TEST(EqualTiles, ATileThatIsSmallerThanTheOthersForbidsIt) {
  model::TracedLaunch launch = product();
  launch.blocks[31].footprints[0].count = 1;
  EXPECT_EQ(tiles_of(launch), Access{});
}

TEST(EqualTiles, TilesThatOverlapForbidIt) {
  model::TracedLaunch launch = product();
  for (model::TracedBlock& block : launch.blocks) block.footprints[0].piece_bytes = 128;
  EXPECT_EQ(tiles_of(launch, 32 * kPitch), Access{});
}

TEST(EqualTiles, BytesThatNoBlockWritesForbidIt) { EXPECT_EQ(tiles_of(product(), 17 * kPitch), Access{}); }

TEST(EqualTiles, ABlockThatWritesTwiceForbidsIt) {
  model::TracedLaunch launch = product();
  launch.blocks[7].footprints.push_back(launch.blocks[7].footprints[0]);
  EXPECT_EQ(tiles_of(launch), Access{});
}

TEST(EqualTiles, BytesThatAreOnlyBoundedForbidIt) {
  model::TracedLaunch launch = product();
  launch.blocks[7].footprints[0].exact = false;
  EXPECT_EQ(tiles_of(launch), Access{});
}

TEST(EqualTiles, BlocksThatWereNotTracedForbidIt) {
  model::TracedLaunch launch = product();
  launch.blocks.pop_back();
  EXPECT_EQ(tiles_of(launch), Access{});
}

TEST(SplitRun, OneRunIsPiecesThatDivideIt) {
  auto split = [](Access access, int64_t piece_bytes) {
    split_run(access, piece_bytes);
    return access;
  };
  const Access run{0, 0, true, 0, {}, 96, 96, 1}, pieces{0, 0, true, 0, {}, 32, 64, 3};
  EXPECT_EQ(split(run, 32), (Access{0, 0, true, 0, {}, 32, 32, 3}));
  EXPECT_EQ(split(run, 36), run);
  EXPECT_EQ(split(run, 0), run);
  EXPECT_EQ(split(pieces, 16), pieces);
}

}  // namespace
}  // namespace cuco::footprint
