#include <gtest/gtest.h>

#include "model/access_trace.h"

namespace cuco::model {
namespace {

using Extent = std::array<uint32_t, 3>;

// Tiles of 4 x 8 bytes of a matrix with rows of 800 bytes, a tile a block.
TracedBlock tile_of(const Extent& index) {
  TracedBlock block;
  block.index = index;
  block.footprints = {{0, false, 3200 * uint64_t{index[1]}, 3200, 0, 1, true},
                      {1, true, 3200 * uint64_t{index[1]} + 8 * uint64_t{index[0]}, 8, 800, 4, true}};
  return block;
}

AccessTrace trace_of(const Extent& grid, bool only_telling) {
  TracedStep step;
  step.is_launch = true;
  step.launch.grid = grid;
  for (uint32_t y = 0; y < grid[1]; y++)
    for (uint32_t x = 0; x < grid[0]; x++)
      if (!only_telling || is_telling({x, y, 0}, grid)) step.launch.blocks.push_back(tile_of({x, y, 0}));
  AccessTrace trace;
  trace.ranks = {{step}};
  return trace;
}

std::vector<TracedBlock>& blocks_of(AccessTrace& trace) { return trace.ranks[0][0].launch.blocks; }

TEST(SampledTrace, BlocksThatDidNotRunAreThoseOfAWholeRun) {
  AccessTrace sampled = trace_of({100, 25, 1}, true);
  EXPECT_EQ(blocks_of(sampled).size(), 16u);
  fill_in(sampled);
  EXPECT_EQ(sampled, trace_of({100, 25, 1}, false));
}

TEST(SampledTrace, WholeRunsStayAsTheyAre) {
  AccessTrace whole = trace_of({3, 2, 1}, false);
  blocks_of(whole)[4].footprints[1].begin = 7;
  AccessTrace before = whole;
  fill_in(whole);
  EXPECT_EQ(whole, before);
}

TEST(SampledTrace, OneBlockOffTheStepsMakesAllReachAnywhere) {
  AccessTrace sampled = trace_of({100, 25, 1}, true);
  for (TracedBlock& block : blocks_of(sampled))
    if (block.index == Extent{50, 12, 0}) block.footprints[1].begin += 8;
  fill_in(sampled);
  ASSERT_EQ(blocks_of(sampled).size(), 2500u);
  for (const TracedBlock& block : blocks_of(sampled)) EXPECT_TRUE(block.reaches_elsewhere);
}

// 100 x 25 tiles of a matrix whose last row of tiles has fewer rows, and whose last column of tiles is narrower.
void cut_off(AccessTrace& trace) {
  for (TracedBlock& block : blocks_of(trace)) {
    if (block.index[1] == 24) block.footprints[1].count = 3;
    if (block.index[0] == 99) block.footprints[1].piece_bytes = 5;
  }
}

TEST(SampledTrace, LastTilesMayBeSmaller) {
  AccessTrace sampled = trace_of({100, 25, 1}, true), whole = trace_of({100, 25, 1}, false);
  cut_off(sampled), cut_off(whole);
  fill_in(sampled);
  EXPECT_EQ(sampled, whole);
}

TEST(SampledTrace, OneOfTheLastTilesThatIsUnlikeTheOthersMakesAllReachAnywhere) {
  AccessTrace sampled = trace_of({100, 25, 1}, true);
  for (TracedBlock& block : blocks_of(sampled))
    if (block.index == Extent{50, 24, 0}) block.footprints[1].count = 3;
  fill_in(sampled);
  EXPECT_TRUE(blocks_of(sampled)[60].reaches_elsewhere);
}

TEST(SampledTrace, TwoBlocksMayDiffer) {
  AccessTrace sampled = trace_of({100, 2, 1}, true), whole = trace_of({100, 2, 1}, false);
  for (AccessTrace* trace : {&sampled, &whole})
    for (TracedBlock& block : blocks_of(*trace))
      if (block.index[1] == 1) block.footprints[1].count = 1;
  fill_in(sampled);
  EXPECT_EQ(sampled, whole);
}

TEST(SampledTrace, ACaseHasWhatItsProofShows) {
  AccessTrace trace = trace_of({100, 25, 1}, false), other = trace_of({8, 2, 1}, false);
  AccessTrace proof = trace_of({4, 2, 1}, false), plain = proof, repeat = proof;
  blocks_of(repeat)[0].footprints[0].begin = 7;
  proof.further = {other}, proof.repeats = {repeat}, proof.varying = {{"program.cu:7", "with other inputs"}};
  add_proof(trace, proof);
  EXPECT_TRUE(trace.is_case);
  EXPECT_EQ(trace.further, (std::vector<AccessTrace>{repeat, other, plain}));
  EXPECT_EQ(trace.varying, proof.varying);
  EXPECT_EQ(*parse_access_trace(to_json(trace)), trace);
}

TEST(SampledTrace, MissingBlockThatShouldTellMakesAllReachAnywhere) {
  AccessTrace sampled = trace_of({100, 25, 1}, true);
  blocks_of(sampled).pop_back();
  fill_in(sampled);
  EXPECT_TRUE(blocks_of(sampled)[60].reaches_elsewhere);
}

TEST(SampledTrace, AtomicsTellNothingOfOthers) {
  AccessTrace sampled = trace_of({100, 25, 1}, true);
  blocks_of(sampled)[0].updated = {1};
  fill_in(sampled);
  EXPECT_TRUE(blocks_of(sampled)[60].reaches_elsewhere);
}

}  // namespace
}  // namespace cuco::model
