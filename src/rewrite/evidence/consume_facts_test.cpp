#include "rewrite/evidence/consume_facts.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {

namespace {

using footprint::Access;
using footprint::AccessForm;
using footprint::AccessTerms;
using footprint::Term;
using model::TracedBlock;
using model::TracedStep;

constexpr uint32_t kOwn = 1, kCame = 2;

// A grid whose block (x, y) reads what `read` says of the buffer that is received into.
template <typename Read>
TracedStep launch_of(uint32_t width, uint32_t height, Read read) {
  TracedStep step;
  step.place = "a.cu:9", step.is_launch = true;
  step.launch.kernel = "work", step.launch.grid = {width, height, 1}, step.launch.block = {64, 1, 1};
  step.launch.pointers = {{0, 0, kCame, 256}, {1, 0, kOwn, 0}};
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      step.launch.blocks.push_back(
          {{x, y, 0}, {read(x, y), {kOwn, true, 64 * (y * width + x), 64, 0, 1}}, false, {}, {}});
  return step;
}

TracedStep receive() {
  TracedStep step;
  step.place = "a.cu:5";
  step.call = {model::Collective::AllGather, 4096, -1, 0, 2, {true, kOwn, 0}, {true, kCame, 0}, 4};
  return step;
}

ConsumeFacts facts_of(const TracedStep& launch) {
  return consume_facts({{{receive(), launch}}, {}}, "elsewhere/a.cu:9");
}

model::Footprint read_at(uint64_t begin, uint64_t bytes) { return {kCame, false, begin, bytes, 0, 1}; }

// Of blocks that only read behind the first pointer.
AccessTerms read_along(int dimension, int64_t offset, int64_t step, int64_t bytes, int64_t every = 1) {
  Access access = footprint::run_along(dimension, offset, step, bytes);
  access.every = every;
  return exactly(access);
}

TEST(ConsumeFacts, RowsOfBlocksCountFromThePointer) {
  ConsumeFacts facts =
      facts_of(launch_of(2, 8, [](uint32_t x, uint32_t y) { return read_at(256 + 512 * y + 128 * x, 128); }));
  ASSERT_EQ(facts.obstacle, "");
  ASSERT_EQ(facts.forms.size(), 1u);
  EXPECT_EQ(facts.forms[0].accesses, (std::vector<AccessTerms>{read_along(1, 0, 512, 256)}));
}

TEST(ConsumeFacts, BlocksAtTheEndsMayReadLess) {
  ConsumeFacts facts = facts_of(launch_of(1, 8, [](uint32_t, uint32_t y) {
    return y == 0 ? read_at(256, 640) : read_at(256 + 512 * y - 128, y == 7 ? 640 : 768);
  }));
  ASSERT_EQ(facts.obstacle, "");
  EXPECT_EQ(facts.forms[0].accesses, (std::vector<AccessTerms>{read_along(1, -128, 512, 768)}));
}

TEST(ConsumeFacts, BlocksInARowShareARow) {
  ConsumeFacts facts = facts_of(launch_of(12, 1, [](uint32_t x, uint32_t) { return read_at(256 + x / 3 * 512, 512); }));
  ASSERT_EQ(facts.obstacle, "");
  EXPECT_EQ(facts.forms[0].accesses, (std::vector<AccessTerms>{read_along(0, 0, 512, 512, 3)}));
}

TEST(ConsumeFacts, WhatIsWrittenIsSaid) {
  TracedStep launch = launch_of(1, 8, [](uint32_t, uint32_t y) { return read_at(256 + 512 * y, 512); });
  launch.launch.blocks[5].footprints.push_back({kCame, true, 256 + 512 * 5, 64, 0, 1});
  AccessTerms expected = read_along(1, 0, 512, 512);
  expected.writes = true;
  EXPECT_EQ(facts_of(launch).forms.at(0).accesses, std::vector<AccessTerms>{expected});
}

TEST(ConsumeFacts, BlocksThatReadEverythingWaitForEverything) {
  EXPECT_EQ(facts_of(launch_of(2, 8, [](uint32_t, uint32_t) { return read_at(256, 4096); })).obstacle,
            "every block of it reads all that it gets");
}

TEST(ConsumeFacts, WhatLiesBeforeEveryPointerIsNotFollowed) {
  EXPECT_EQ(facts_of(launch_of(2, 8, [](uint32_t, uint32_t y) { return read_at(64 * y, 64); })).obstacle,
            "it reads what lies before the pointers that it gets");
}

TEST(ConsumeFacts, LaunchesThatReadOtherBuffersAreNoReaders) {
  TracedStep launch =
      launch_of(2, 8, [](uint32_t, uint32_t y) { return model::Footprint{7, false, 64 * y, 64, 0, 1}; });
  EXPECT_FALSE(facts_of(launch).reads_received);
}

// The second launch reads a row further on, so that blocks wait for both.
TEST(ConsumeFacts, LaunchesOfOneShapeAreTakenTogether) {
  auto rows = [](uint64_t from) {
    return launch_of(1, 8, [from](uint32_t, uint32_t y) { return read_at(from + 512 * y, 512); });
  };
  ConsumeFacts facts = consume_facts({{{receive(), rows(256), rows(768)}}, {}}, "a.cu:9");
  ASSERT_EQ(facts.obstacle, "");
  EXPECT_EQ(facts.forms[0].accesses, (std::vector<AccessTerms>{read_along(1, 0, 512, 1024)}));
}

TEST(ConsumeFacts, LaunchesThatReadInOtherWaysWaitForEverything) {
  TracedStep rows = launch_of(1, 8, [](uint32_t, uint32_t y) { return read_at(256 + 512 * y, 512); });
  TracedStep back = launch_of(1, 8, [](uint32_t, uint32_t y) { return read_at(256 + 512 * (7 - y), 512); });
  EXPECT_EQ(consume_facts({{{receive(), rows, back}}, {}}, "a.cu:9").obstacle,
            "every block of it reads all that it gets");
}

TEST(ConsumeFacts, AtomicOperationsAreAnObstacle) {
  TracedStep launch = launch_of(1, 8, [](uint32_t, uint32_t y) { return read_at(256 + 512 * y, 512); });
  launch.launch.blocks[3].updated = {kOwn};
  EXPECT_EQ(facts_of(launch).obstacle, "its blocks change memory by atomic operations");
}

TEST(ConsumeFacts, ReadsThatVaryAreAnObstacle) {
  model::AccessTrace trace{
      {{receive(), launch_of(1, 8, [](uint32_t, uint32_t y) { return read_at(256 + 512 * y, 512); })}}, {}};
  trace.varying_received = {{"b/a.cu:9", "with other inputs"}};
  EXPECT_EQ(consume_facts(trace, "a.cu:9").obstacle, "its blocks read other bytes with other inputs");
}

// Blocks of one row of `columns` bytes and those around it, as many as `around`; both are arguments, the latter only
// where it is told.
model::AccessTrace rows_of(uint32_t rows, int64_t columns, uint64_t around = 0) {
  auto bytes = static_cast<uint64_t>(columns);
  TracedStep step = launch_of(1, rows, [&](uint32_t, uint32_t y) {
    uint64_t before = std::min<uint64_t>(y, around), after = std::min<uint64_t>(rows - 1 - y, around);
    return read_at(256 + (y - before) * bytes, (before + 1 + after) * bytes);
  });
  step.launch.numbers = {{2, 0, columns}};
  return {{{receive(), step}}, {}};
}

ConsumeFacts facts_over(model::AccessTrace first, std::vector<model::AccessTrace> further) {
  first.further = std::move(further);
  return consume_facts(first, "a.cu:9");
}

bool holds_at_other_sizes(const ConsumeFacts& facts) { return facts.forms.at(0).at_other_sizes; }

const Term kColumns{1, 1, {{2, 0}}, std::nullopt};

TEST(ConsumeFacts, BytesThatFollowAnArgumentHoldAtOtherSizes) {
  ConsumeFacts facts = facts_over(rows_of(8, 512), {rows_of(8, 128), rows_of(6, 512)});
  ASSERT_TRUE(holds_at_other_sizes(facts)) << facts.unsized;
  AccessTerms rows = read_along(1, 0, 512, 512);
  rows.steps[1] = rows.bytes = rows.stride = kColumns;
  EXPECT_EQ(facts.forms[0], (AccessForm{{{1, 0, 1}, {64, 1, 1}}, {rows}, true}));
}

TEST(ConsumeFacts, WhatLiesAroundABlocksOwnFollowsToo) {
  ConsumeFacts facts = facts_over(rows_of(12, 512, 1), {rows_of(12, 128, 1), rows_of(6, 512, 1)});
  ASSERT_TRUE(holds_at_other_sizes(facts)) << facts.unsized;
  EXPECT_EQ(facts.forms[0].accesses[0].offset, (Term{-1, 1, {{2, 0}}, std::nullopt}));
  EXPECT_EQ(facts.forms[0].accesses[0].bytes, (Term{3, 1, {{2, 0}}, std::nullopt}));
}

TEST(ConsumeFacts, OneFurtherSizeIsNotEnough) {
  ConsumeFacts facts = facts_over(rows_of(8, 512), {rows_of(8, 128)});
  EXPECT_EQ(facts.unsized, "fewer than two launches of other sizes were traced");
  EXPECT_EQ(facts.forms[0],
            (AccessForm{{{1, 8, 1}, {64, 1, 1}, {{{2, 0}, Term{512}}}}, {read_along(1, 0, 512, 512)}, false}));
}

TEST(ConsumeFacts, BytesThatNoNumberExplainsHoldForTheTracedSizeAlone) {
  ConsumeFacts facts = facts_over(rows_of(12, 512, 1), {rows_of(12, 128, 2), rows_of(10, 512, 1)});
  EXPECT_FALSE(holds_at_other_sizes(facts));
  EXPECT_EQ(facts.unsized, "no product of its launch's numbers gives the bytes that a block reads at all traced sizes");
}

TEST(ConsumeFacts, ACaseWhoseBytesNoNumberExplainsIsRefused) {
  model::AccessTrace trace = rows_of(12, 512, 1);
  trace.further = {rows_of(12, 128, 2), rows_of(10, 512, 1)};
  trace.is_case = true;
  EXPECT_EQ(consume_facts(trace, "a.cu:9").obstacle,
            "no product of its launch's numbers gives the bytes that a block reads at all traced sizes");
}

TEST(ConsumeFacts, AnotherRuleAtAnotherSizeIsNotFollowed) {
  model::AccessTrace all = rows_of(8, 128);
  for (TracedBlock& block : all.ranks[0][1].launch.blocks) block.footprints[0] = read_at(256, 1024);
  ConsumeFacts facts = facts_over(rows_of(8, 512), {all, rows_of(6, 512)});
  EXPECT_EQ(facts.unsized, "at another size its blocks do not read by such a rule");
}

TEST(ConsumeFacts, AtomicOperationsAtAnotherSizeAreAnObstacleThere) {
  model::AccessTrace other = rows_of(8, 128);
  other.ranks[0][1].launch.blocks[2].updated = {kOwn};
  ConsumeFacts facts = facts_over(rows_of(8, 512), {other, rows_of(6, 512)});
  EXPECT_EQ(facts.unsized, "at another size its blocks change memory by atomic operations");
  EXPECT_EQ(facts.obstacle, "");
}

// Its bytes are those of no rule.
TEST(ConsumeFacts, LaunchesOfOneBlockHaveNoSay) {
  EXPECT_TRUE(holds_at_other_sizes(facts_over(rows_of(8, 512), {rows_of(8, 128), rows_of(6, 512), rows_of(1, 700)})));
  EXPECT_FALSE(holds_at_other_sizes(facts_over(rows_of(8, 512), {rows_of(8, 128), rows_of(1, 700)})));
}

TEST(ConsumeFacts, NumbersThatDifferWhereBytesDoNotAreOfNoMatter) {
  model::AccessTrace other = rows_of(8, 512);
  other.ranks[0][1].launch.numbers[0].value = 3;
  EXPECT_TRUE(facts_over(rows_of(8, 512), {other}).forms[0].guard.relations.empty());
}

}  // namespace

}  // namespace cuco::rewrite
