#include <gtest/gtest.h>

#include "rewrite/slice_facts.h"

namespace cuco::rewrite {

namespace {

constexpr uint32_t kSent = 2;
constexpr uint64_t kRow = 64, kMessage = 1024;

// Blocks y of a grid of 1 x `count` write a row each, from `begin` on.
model::TracedStep rows(uint32_t count, uint64_t begin, const char* place = "program.cu:7") {
  model::TracedStep step;
  step.place = place, step.is_launch = true;
  step.launch.kernel = "product", step.launch.grid = {1, count, 1}, step.launch.block = {32, 1, 1};
  for (uint32_t y = 0; y < count; y++)
    step.launch.blocks.push_back({{0, y, 0}, {{kSent, true, begin + y * kRow, kRow, kRow, 1, true}}, false});
  return step;
}

model::TracedStep send(uint64_t offset) {
  model::TracedStep step;
  step.place = "/elsewhere/program.cu:9";
  step.call = {"ncclSend", kMessage, 1, 0, 2, {true, kSent, offset}, {}};
  return step;
}

std::vector<SliceFacts> facts(const std::vector<model::TracedStep>& steps) {
  return producers_of({{steps}}, "program.cu:9");
}

TEST(ProducerFacts, LaunchesOfOneShapeMayHaveDifferentExtents) {
  std::vector<SliceFacts> found = facts({rows(16, 0), rows(10, kMessage), send(0), send(kMessage)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].obstacle, "");
  EXPECT_EQ(found[0].cut, (Cut{1, 0}));
  EXPECT_EQ(found[0].shape, (TracedShape{kRow, {1, 0, 1}, {32, 1, 1}}));
}

TEST(ProducerFacts, LaunchesThatWriteNothingSentDoNotCount) {
  EXPECT_TRUE(facts({rows(4, 2 * kMessage), send(0)}).empty());
}

TEST(ProducerFacts, LaunchesAfterTheCallDoNotCount) { EXPECT_TRUE(facts({send(0), rows(16, 0)}).empty()); }

TEST(ProducerFacts, WhatBeginsInsideAMessageRunsWhole) {
  EXPECT_EQ(facts({rows(4, kRow), send(0)})[0].obstacle, "what it writes does not begin with a message");
}

TEST(ProducerFacts, BlocksThatShareARowRunWhole) {
  model::TracedStep launch = rows(16, 0);
  launch.launch.blocks[3].footprints[0].begin = 0;
  EXPECT_EQ(facts({launch, send(0)})[0].obstacle,
            "its blocks do not write one behind the other along a dimension of its grid");
}

TEST(ProducerFacts, LaunchesOfOnePlaceThatDifferRunWhole) {
  model::TracedStep other = rows(16, kMessage);
  other.launch.block = {64, 1, 1};
  EXPECT_EQ(facts({rows(16, 0), other, send(0), send(kMessage)})[0].obstacle, "its launches write in different ways");
}

}  // namespace

}  // namespace cuco::rewrite
