#include "rewrite/evidence/slice_facts.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

using footprint::Relation;
using footprint::Term;

constexpr uint32_t kSent = 2, kReceived = 3;
constexpr uint64_t kRow = 256, kRows = 16, kMessage = kRow * kRows;

// Blocks (x, y) of a grid of 4 x `down` write `rows` rows of 64 bytes each, at column 64 x, from row y * rows on.
model::TracedStep tiles(uint32_t down, uint64_t rows) {
  model::TracedStep step;
  step.place = "program.cu:7", step.is_launch = true;
  step.launch.kernel = "product", step.launch.grid = {4, down, 1};
  for (uint32_t y = 0; y < down; y++)
    for (uint32_t x = 0; x < 4; x++)
      step.launch.blocks.push_back(
          {{x, y, 0}, {{kSent, true, y * rows * kRow + x * 64, 64, kRow, rows, true}}, false, {}, {}});
  return step;
}

model::TracedStep all_gather() {
  model::TracedStep step;
  step.place = "/elsewhere/program.cu:9";
  step.call = {model::Collective::AllGather, kMessage, -1, 0, 2, {true, kSent, 0}, {true, kReceived, 0}};
  return step;
}

SliceFacts facts(const model::TracedStep& launch, const model::TracedStep& call, uint64_t chunk_bytes = kMessage / 4) {
  return slice_facts({{{launch, call}}, {}}, "program.cu:9", {chunk_bytes});
}

TEST(SliceFacts, RowsOfBlocksOwnRowsOfTheMessage) {
  SliceFacts found = facts(tiles(8, 2), all_gather());
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.launch, "program.cu:7");
  EXPECT_EQ(found.slice_count, 4u);
  EXPECT_EQ(found.cut, (Cut{1, 0}));
}

TEST(SliceFacts, AFlatGridIsCutByColumns) {
  SliceFacts found = facts(tiles(1, 16), all_gather());
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.cut, (Cut{0, 64}));
}

TEST(SliceFacts, FewRowsGiveWayToMoreColumns) { EXPECT_EQ(facts(tiles(2, 8), all_gather()).cut, (Cut{0, 64})); }

TEST(SliceFacts, MessagesToEachRankAreCutByColumns) {
  model::TracedStep call = all_gather();
  call.call.collective = model::Collective::ReduceScatter, call.call.bytes = kMessage / 2;
  SliceFacts found = facts(tiles(8, 2), call);
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.cut, (Cut{0, 64}));
}

TEST(SliceFacts, ATileMayReachIntoTheNextMessage) {
  model::TracedStep call = all_gather();
  call.call.collective = model::Collective::ReduceScatter, call.call.bytes = kMessage / 8, call.call.rank_count = 8;
  SliceFacts found = facts(tiles(4, 4), call);
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.cut, (Cut{0, 64}));
}

model::TracedStep all_reduce(model::Collective collective, uint32_t sent, uint32_t received) {
  model::TracedStep call = all_gather();
  call.call.collective = collective, call.call.send.buffer = sent, call.call.receive.buffer = received;
  return call;
}

TEST(SliceFacts, ResultsMayComeWhereTheirBlocksAloneLook) {
  model::TracedStep launch = tiles(8, 2), call = all_reduce(model::Collective::AllReduce, kSent, kSent);
  EXPECT_EQ(facts(launch, call).obstacle, "");
  launch.launch.blocks[5].footprints.push_back({kSent, false, 0, kMessage, kMessage, 1, true});
  EXPECT_EQ(facts(launch, call).obstacle,
            "no dimension of the grid of product goes through every message from its begin to its end");
}

TEST(SliceFacts, ACallWithoutItsKernelLeavesWhole) {
  model::TracedStep call = all_reduce(model::Collective::AllReduce, kSent, kReceived);
  EXPECT_EQ(slice_facts({{{call, tiles(8, 2), call}}, {}}, "program.cu:9", {kMessage / 4}).obstacle, "");
}

TEST(SliceFacts, ACallMayNotTakeTheSlicesOfAnother) {
  model::TracedStep call = all_reduce(model::Collective::AllReduce, kSent, kReceived), other = tiles(8, 2);
  other.place = "program.cu:8", other.launch.kernel = "activation";
  for (model::TracedBlock& block : other.launch.blocks) block.footprints.clear();
  const char* reason = "product also runs before a call that it does not feed";
  EXPECT_EQ(slice_facts({{{tiles(8, 2), call, tiles(8, 2), other, call}}, {}}, "program.cu:9", {1024}).obstacle,
            reason);
  EXPECT_EQ(slice_facts({{{call, tiles(8, 2), call, tiles(8, 2)}}, {}}, "program.cu:9", {1024}).obstacle, reason);
}

TEST(SliceFacts, RanksMustLeaveTheSameCallsWhole) {
  model::TracedStep call = all_reduce(model::Collective::AllReduce, kSent, kReceived);
  std::vector<std::vector<model::TracedStep>> ranks = {{tiles(8, 2), call, call}, {call, tiles(8, 2), call}};
  EXPECT_EQ(slice_facts({ranks, {}}, "program.cu:9", {1024}).obstacle,
            "the kernel before the call is not the same, or not cut alike, on all ranks and rounds");
}

TEST(SliceFacts, ABlockThatWritesElsewhereInTheMessageForbidsIt) {
  model::TracedStep launch = tiles(8, 2);
  launch.launch.blocks[0].footprints[0] = {kSent, true, 0, kMessage, kMessage, 1, true};
  EXPECT_EQ(facts(launch, all_gather()).obstacle,
            "no dimension of the grid of product goes through every message from its begin to its end");
}

TEST(SliceFacts, BlocksThatWriteOtherBytesInAnotherRunForbidIt) {
  for (const char* difference : {"with other inputs", "when blocks run in another order"}) {
    model::AccessTrace trace{{{tiles(8, 2), all_gather()}}, {}, {{"/elsewhere/program.cu:7", difference}}};
    EXPECT_EQ(slice_facts(trace, "program.cu:9", {kMessage / 4}).obstacle,
              concat("blocks of product write other bytes ", difference));
  }
}

TEST(SliceFacts, AKernelThatReadsWhatIsReceivedForbidsIt) {
  model::TracedStep launch = tiles(8, 2);
  launch.launch.blocks[5].footprints.push_back({kReceived, false, 64, 4, 4, 1, true});
  EXPECT_EQ(facts(launch, all_gather()).obstacle, "product touches what the call receives into");
}

TEST(SliceFacts, AKernelThatFeedsNothingForbidsIt) {
  model::TracedStep launch = tiles(8, 2);
  for (model::TracedBlock& block : launch.launch.blocks) block.footprints[0].buffer = 7;
  EXPECT_EQ(facts(launch, all_gather()).obstacle,
            "product, which comes before the call, writes nothing of what it sends");
}

TEST(SliceFacts, RanksThatAreCutInOtherWaysForbidIt) {
  model::AccessTrace trace{{{tiles(8, 2), all_gather()}, {tiles(1, 16), all_gather()}}, {}};
  EXPECT_NE(slice_facts(trace, "program.cu:9", {kMessage / 4}).obstacle, "");
}

model::TracedStep broadcast(int rank, int root, const model::TracedPlace& send, const model::TracedPlace& receive) {
  model::TracedStep step = all_gather();
  step.call = {model::Collective::Broadcast, kMessage, root, rank, 2, send, receive};
  return step;
}

// Rank 1 sends twice, rank 0 once, each before a launch of its own.
TEST(SliceFacts, RanksThatSendNothingHaveNoSayWhereSendersDecide) {
  const model::TracedPlace sent{true, kSent, 0}, received{true, kReceived, 0}, none{};
  model::AccessTrace trace;
  trace.ranks = {
      {broadcast(0, 1, none, received), tiles(8, 2), broadcast(0, 0, sent, received), broadcast(0, 1, none, received)},
      {tiles(8, 2), broadcast(1, 1, sent, received), broadcast(1, 0, none, received), tiles(8, 2),
       broadcast(1, 1, sent, received)}};
  EXPECT_NE(slice_facts(trace, "program.cu:9", {1024}).obstacle, "");
  SliceFacts found = slice_facts(trace, "program.cu:9", {1024, kSlicesMax, Alike::Senders});
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.cut, (Cut{1, 0}));
}

TEST(SliceFacts, ABroadcastInPlaceWritesNothingOfItsSender) {
  const model::TracedPlace place{true, kSent, 0};
  EXPECT_EQ(facts(tiles(8, 2), broadcast(0, 0, place, place)).obstacle, "");
  EXPECT_EQ(facts(tiles(8, 2), broadcast(0, 0, place, {true, kSent, kRow})).obstacle,
            "product touches what the call receives into");
}

TEST(SliceFacts, BytesThatVaryAreTheReasonBeforeAllOthers) {
  model::AccessTrace trace;
  trace.ranks = {{tiles(3, 5), all_gather()}};
  trace.varying = {{"program.cu:7", "with other inputs"}};
  EXPECT_EQ(slice_facts(trace, "program.cu:9", {1024}).obstacle,
            "blocks of product write other bytes with other inputs");
}

TEST(SliceFacts, ACallThatWasNotSeenSaysSo) {
  EXPECT_EQ(slice_facts({{{tiles(8, 2), all_gather()}}, {}}, "program.cu:10", {64}).obstacle,
            "the traced run does not come by the call");
}

TEST(SliceFacts, InPlaceGatherLeavesTheOwnPartToTheKernel) {
  model::TracedStep call = all_gather();
  call.call.receive = {true, kSent, 0};
  EXPECT_EQ(facts(tiles(8, 2), call).obstacle, "");
}

TEST(SliceFacts, SlicesAreAtMostAsManyAsMessagesMayBeOpen) {
  EXPECT_EQ(facts(tiles(16, 1), all_gather(), 16).slice_count, kSlicesMax);
}

// One block a row of `columns` bytes, with `skipped` bytes between rows, and an all-gather of so many rows.
model::AccessTrace rows_run(uint32_t rows, int64_t columns, uint64_t skipped = 0) {
  model::TracedStep launch, call = all_gather();
  launch.place = "program.cu:7", launch.is_launch = true;
  launch.launch.kernel = "fill", launch.launch.grid = {rows, 1, 1}, launch.launch.numbers = {{1, 0, columns}};
  auto bytes = static_cast<uint64_t>(columns);
  for (uint32_t x = 0; x < rows; x++)
    launch.launch.blocks.push_back(
        {{x, 0, 0}, {{kSent, true, x * (bytes + skipped), bytes, bytes, 1, true}}, false, {}, {}});
  call.call.bytes = rows * bytes;
  return {{{launch, call}}, {}};
}

TEST(SliceGuard, AShareThatFurtherSizesShowHoldsAtOthers) {
  model::AccessTrace trace = rows_run(8, 64);
  trace.further = {rows_run(8, 32), rows_run(4, 64)};
  SliceFacts found = slice_facts(trace, "program.cu:9", {128});
  EXPECT_TRUE(found.at_other_sizes);
  EXPECT_EQ(found.guard.grid, (std::array<uint32_t, 3>{0, 1, 1}));
  EXPECT_EQ(found.message_bytes, (Term{1, 1, {{1, 0}, {0, 0, 0}}, std::nullopt}));
}

// What the launch writes does not depend on how many ranks share it.
TEST(SliceGuard, AReduceScatterIsGuardedByTheBytesOfAllRanks) {
  auto scattered = [](uint32_t rows, int64_t columns, uint32_t ranks) {
    model::AccessTrace trace = rows_run(rows, columns);
    model::TracedCall& call = trace.ranks[0][1].call;
    call.collective = model::Collective::ReduceScatter, call.bytes /= ranks, call.rank_count = static_cast<int>(ranks);
    return trace;
  };
  EXPECT_EQ(guarded_bytes(scattered(8, 64, 2).ranks[0][1].call), 512u);
  EXPECT_EQ(guarded_bytes(scattered(8, 64, 4).ranks[0][1].call), 512u);
  EXPECT_EQ(guarded_bytes(rows_run(8, 64).ranks[0][1].call), 512u);
}

TEST(SliceGuard, AShareThatAFurtherSizeDoesNotShowHoldsForTheTracedOneAlone) {
  model::AccessTrace trace = rows_run(8, 64);
  trace.further = {rows_run(8, 32), rows_run(4, 64), rows_run(8, 96, 16)};
  SliceFacts found = slice_facts(trace, "program.cu:9", {128});
  EXPECT_FALSE(found.at_other_sizes);
  EXPECT_EQ(found.guard.grid, (std::array<uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(found.guard.relations, (std::vector<Relation>{{{1, 0}, Term{64}}}));
  EXPECT_EQ(found.message_bytes, (Term{512}));
}

// Ranks have to decide alike.
TEST(SliceGuard, NumbersThatDifferBetweenRanksHaveNoSay) {
  model::AccessTrace trace = rows_run(8, 64);
  trace.ranks.push_back(trace.ranks[0]);
  trace.ranks[0][0].launch.numbers.push_back({2, 0, 0});
  trace.ranks[1][0].launch.numbers.push_back({2, 0, 1});
  EXPECT_EQ(slice_facts(trace, "program.cu:9", {128}).guard.relations, (std::vector<Relation>{{{1, 0}, Term{64}}}));
}

// An all-gather of `down` x `across` tiles of two rows of 64 bytes. Argument 1 is the length of a row.
model::AccessTrace tiled_run(uint32_t down, uint32_t across) {
  model::TracedStep launch, call = all_gather();
  uint64_t row = across * 64;
  launch.place = "program.cu:7", launch.is_launch = true;
  launch.launch.kernel = "product", launch.launch.grid = {across, down, 1};
  launch.launch.numbers = {{1, 0, static_cast<int64_t>(row)}};
  for (uint32_t y = 0; y < down; y++)
    for (uint32_t x = 0; x < across; x++)
      launch.launch.blocks.push_back(
          {{x, y, 0}, {{kSent, true, y * 2 * row + x * 64, 64, row, 2, true}}, false, {}, {}});
  call.call.bytes = down * 2 * row;
  return {{{launch, call}}, {}};
}

// A case of 64 x 48 tiles, with few and wide rows of tiles at the sizes that were traced whole.
model::AccessTrace tiled_case() {
  model::AccessTrace trace = tiled_run(64, 48);
  trace.further = {tiled_run(2, 19), tiled_run(2, 9), tiled_run(3, 19)};
  trace.is_case = true;
  return trace;
}

TEST(SliceCase, TheCaseDecidesHowManyPartsAndAlongWhichDimension) {
  constexpr uint64_t kChunk = 32768;
  SliceFacts small = slice_facts(tiled_run(2, 19), "program.cu:9", {kChunk / 32});
  EXPECT_EQ(small.cut, (Cut{0, 64}));
  SliceFacts found = slice_facts(tiled_case(), "program.cu:9", {kChunk});
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.cut, (Cut{1, 0}));
  EXPECT_EQ(found.slice_count, 8u);
  EXPECT_EQ(found.unit_count, 64u);
}

TEST(SliceCase, TheGuardIsInNamesAndHoldsAtAllSizes) {
  SliceFacts found = slice_facts(tiled_case(), "program.cu:9", {32768});
  EXPECT_TRUE(found.at_other_sizes);
  EXPECT_EQ(found.guard.grid, (std::array<uint32_t, 3>{0, 0, 1}));
  EXPECT_EQ(found.guard.relations, (std::vector<Relation>{{{0, 0, 0}, Term{1, 64, {{1, 0}}}}}));
  EXPECT_EQ(found.message_bytes, (Term{2, 1, {{1, 0}, {0, 0, 1}}}));
}

TEST(SliceCase, ACutThatSmallerSizesDoNotShowIsRefused) {
  model::AccessTrace trace = rows_run(512, 64);
  trace.further = {rows_run(8, 32), rows_run(4, 64), rows_run(8, 96, 16)};
  EXPECT_EQ(slice_facts(trace, "program.cu:9", {128}).obstacle, "");
  trace.is_case = true;
  EXPECT_EQ(slice_facts(trace, "program.cu:9", {128}).obstacle,
            "blocks of fill own other shares of the messages at smaller sizes");
}

TEST(SliceCase, ACaseThatWasTracedNowhereElseIsRefused) {
  model::AccessTrace trace = rows_run(512, 64);
  trace.further = {rows_run(8, 32)};
  trace.is_case = true;
  EXPECT_EQ(slice_facts(trace, "program.cu:9", {128}).obstacle,
            "fewer than two launches of fill at other sizes were traced before such messages");
}

// There the launch runs whole.
TEST(SliceCase, AnUnevenSizeSaysNothing) {
  model::AccessTrace trace = rows_run(512, 64), uneven = rows_run(5, 64);
  uneven.ranks[0][1].call.bytes -= 24, uneven.ranks[0][0].launch.blocks.back().footprints[0].piece_bytes -= 24;
  trace.further = {rows_run(8, 32), rows_run(4, 64), uneven};
  trace.is_case = true;
  SliceFacts found = slice_facts(trace, "program.cu:9", {128});
  EXPECT_EQ(found.obstacle, "");
  EXPECT_EQ(found.message_bytes, (Term{1, 1, {{1, 0}, {0, 0, 0}}}));
}

}  // namespace

}  // namespace cuco::rewrite
