#include "rewrite/evidence/fuse_facts.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {
namespace {

using footprint::Access;
using footprint::AccessTerms;
using footprint::LaunchNumber;
using footprint::Term;

constexpr uint32_t kSent = 2;
constexpr uint64_t kRow = 256, kBegin = 4096;

// Blocks (x, y) of a grid of 4 x 8 write two rows of 64 bytes each.
model::TracedLaunch product() {
  model::TracedLaunch launch;
  launch.kernel = "product", launch.grid = {4, 8, 1}, launch.block = {32, 1, 1};
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 4; x++)
      launch.blocks.push_back(
          {{x, y, 0}, {{kSent, true, kBegin + y * 2 * kRow + x * 64, 64, kRow, 2, true}}, false, {}, {}});
  return launch;
}
// The launch and the call that sends what it writes.
model::AccessTrace trace_with(const model::TracedPointer& pointer) {
  model::TracedStep launch, call;
  launch.place = "program.cu:7", launch.is_launch = true, launch.launch = product();
  launch.launch.pointers = {{0, 0, kSent + 1, 0}, pointer};
  call.place = "program.cu:9";
  call.call = {model::Collective::AllGather, 16 * kRow, -1, 0, 2, {true, kSent, kBegin}, {true, kSent + 1, 0}};
  model::AccessTrace trace;
  trace.ranks = {{launch, call}};
  return trace;
}

TEST(FuseFacts, TheLaunchIsKnownByAPointerToWhereMessagesBegin) {
  FuseFacts facts = fuse_facts(trace_with({3, 0, kSent, kBegin}), "program.cu:9", 1024);
  EXPECT_EQ(facts.obstacle, "");
  EXPECT_EQ(facts.source_parameter, 3u);
}

TEST(FuseFacts, APointerToAnotherPlaceIsNoSign) {
  const std::string reason = "product gets no pointer to where the messages begin";
  EXPECT_EQ(fuse_facts(trace_with({3, 0, kSent, 0}), "program.cu:9", 1024).obstacle, reason);
  EXPECT_EQ(fuse_facts(trace_with({3, 8, kSent, kBegin}), "program.cu:9", 1024).obstacle, reason);
}

// A run with an all-gather of `down` x `across` tiles of two rows of 64 bytes. Argument 1 is the length of a row.
model::AccessTrace tiled_run(uint32_t down, uint32_t across) {
  model::TracedStep launch, call;
  launch.place = "program.cu:7", launch.is_launch = true;
  launch.launch.kernel = "product", launch.launch.grid = {across, down, 1};
  constexpr uint64_t bytes = 64;
  uint64_t row = across * bytes;
  launch.launch.pointers = {{0, 0, kSent, 0}};
  launch.launch.numbers = {{1, 0, static_cast<int64_t>(row)}};
  for (uint32_t y = 0; y < down; y++)
    for (uint32_t x = 0; x < across; x++) {
      model::Footprint tile{kSent, true, y * 2 * row + x * bytes, bytes, row, 2, true};
      if (across == 1) tile = {kSent, true, y * 2 * row, 2 * row, 0, 1, true};
      launch.launch.blocks.push_back({{x, y, 0}, {tile}, false, {}, {}});
    }
  call.place = "program.cu:9";
  call.call = {model::Collective::AllGather, down * 2 * row, -1, 0, 2, {true, kSent, 0}, {true, kSent + 1, 0}, 1};
  model::AccessTrace trace;
  trace.ranks = {{launch, call}};
  return trace;
}

const LaunchNumber kRowBytes{1, 0};

TEST(FuseFacts, TilesAreProductsWhereFurtherSizesShowIt) {
  model::AccessTrace trace = tiled_run(8, 4);
  trace.further = {tiled_run(8, 2), tiled_run(4, 4)};
  FuseFacts facts = fuse_facts(trace, "program.cu:9", 512);
  EXPECT_TRUE(facts.at_other_sizes);
  AccessTerms expected = exactly(Access{0, 0, true, 0, {64, 0, 0}, 64, 0, 2});
  expected.steps[1] = {2, 1, {kRowBytes}}, expected.stride = {1, 1, {kRowBytes}};
  EXPECT_EQ(facts.tiles, expected);
}

// Rows that are no longer than a tile leave one run of bytes, which is of the same form.
TEST(FuseFacts, PiecesThatTouchAreOfTheFormOfOthers) {
  model::AccessTrace trace = tiled_run(8, 4);
  trace.further = {tiled_run(8, 1), tiled_run(4, 4)};
  FuseFacts facts = fuse_facts(trace, "program.cu:9", 512);
  EXPECT_TRUE(facts.at_other_sizes);
  EXPECT_EQ(facts.tiles.stride, (Term{1, 1, {kRowBytes}}));
}

// Each piece of a row would be a put of its own.
TEST(FuseFacts, FewRowsComeBeforeColumnsOverTheNetwork) {
  model::AccessTrace trace = tiled_run(2, 8);
  EXPECT_EQ(fuse_facts(trace, "program.cu:9", 64, Path::Network).slices.cut, (Cut{1, 0}));
  EXPECT_EQ(fuse_facts(trace, "program.cu:9", 64, Path::Memory).slices.cut, (Cut{0, 64}));
  EXPECT_EQ(fuse_facts(tiled_run(1, 8), "program.cu:9", 64, Path::Network).slices.cut, (Cut{0, 64}));
}

TEST(FuseFacts, WholeRowsGoOverTheNetworkAtOtherSizes) {
  model::AccessTrace trace = tiled_run(8, 4);
  trace.further = {tiled_run(8, 2), tiled_run(4, 4)};
  EXPECT_TRUE(fuse_facts(trace, "program.cu:9", 512, Path::Network).at_other_sizes);
}

// Tiles in another order at one size are of no such form there, though units own the same shares.
TEST(FuseFacts, AFormThatAFurtherSizeDoesNotShowHoldsForTheTracedOneAlone) {
  model::AccessTrace trace = tiled_run(8, 4);
  trace.further = {tiled_run(8, 2), tiled_run(4, 4)};
  std::vector<model::TracedBlock>& blocks = trace.further[1].ranks[0][0].launch.blocks;
  std::swap(blocks[1].footprints, blocks[2].footprints);
  FuseFacts facts = fuse_facts(trace, "program.cu:9", 512);
  EXPECT_EQ(facts.obstacle, "");
  EXPECT_TRUE(facts.slices.at_other_sizes);
  EXPECT_FALSE(facts.at_other_sizes);
  EXPECT_EQ(facts.tiles, exactly(Access{0, 0, true, 0, {64, 512, 0}, 64, 256, 2}));
}

TEST(FuseFacts, TilesThatSmallerSizesDoNotShowAreLeftOutOfACase) {
  model::AccessTrace trace = tiled_run(64, 48);
  trace.further = {tiled_run(8, 2), tiled_run(4, 4)};
  trace.is_case = true;
  EXPECT_TRUE(fuse_facts(trace, "program.cu:9", 512).tiles.has_rule());
  std::vector<model::TracedBlock>& blocks = trace.further[1].ranks[0][0].launch.blocks;
  std::swap(blocks[1].footprints, blocks[2].footprints);
  FuseFacts facts = fuse_facts(trace, "program.cu:9", 512);
  EXPECT_EQ(facts.obstacle, "");
  EXPECT_TRUE(facts.at_other_sizes);
  EXPECT_FALSE(facts.tiles.has_rule());
}

}  // namespace
}  // namespace cuco::rewrite
