#include "rewrite/evidence/place_shapes.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {

namespace {

enum Buffer : uint32_t { In, Out };
constexpr const char* kPlace = "program.cu:7";

// One block a row of `columns` bytes, which it reads and writes `step` rows apart; the second argument says how long.
model::AccessTrace run_of(uint32_t rows, int64_t columns, uint64_t step = 1) {
  model::TracedStep one;
  one.place = kPlace, one.is_launch = true;
  one.launch = {"copy", {rows, 1, 1}, {32, 1, 1}, {}, {{0, 0, In, 0}, {1, 0, Out, 0}}, {{2, 0, columns}}};
  for (uint32_t x = 0; x < rows; x++) {
    auto bytes = static_cast<uint64_t>(columns), begin = x * bytes * step;
    one.launch.blocks.push_back({{x, 0, 0},
                                 {{In, false, begin, bytes, bytes, 1, true}, {Out, true, begin, bytes, bytes, 1, true}},
                                 false,
                                 {},
                                 {}});
  }
  return {{{one}}, {}};
}

const Term kColumns{1, 1, {{2, 0}}, std::nullopt};

TEST(PlaceShapes, StridesThatFollowAnArgumentHoldAtOtherSizes) {
  model::AccessTrace trace = run_of(8, 64);
  trace.further = {run_of(8, 32), run_of(5, 64)};
  PlaceShapes found = shapes_at(trace, kPlace);
  ASSERT_EQ(found.obstacle, "");
  EXPECT_TRUE(found.at_other_sizes);
  ASSERT_EQ(found.shapes.size(), 1u);
  EXPECT_EQ(found.shapes[0].grid, (std::array<uint32_t, 3>{0, 1, 1}));
  EXPECT_TRUE(found.shapes[0].relations.empty());
  EXPECT_EQ(found.shapes[0].uses[1].terms, (UseTerms{true, {0}, kColumns, kColumns}));
}

TEST(PlaceShapes, OneFurtherSizeIsNotEnough) {
  model::AccessTrace trace = run_of(8, 64);
  trace.further = {run_of(8, 32)};
  PlaceShapes found = shapes_at(trace, kPlace);
  EXPECT_FALSE(found.at_other_sizes);
  EXPECT_EQ(found.shapes[0].grid, (std::array<uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(found.shapes[0].relations, (std::vector<Relation>{{{2, 0}, {64}}}));
}

// What no argument tells apart cannot be guarded.
TEST(PlaceShapes, SizesThatNoNumberExplainsHoldForTheTracedOnesAlone) {
  model::AccessTrace trace = run_of(8, 64);
  trace.further = {run_of(8, 32, 3), run_of(5, 64, 2)};
  EXPECT_FALSE(shapes_at(trace, kPlace).at_other_sizes);
}

TEST(PlaceShapes, LaunchesThatDifferInTheirRowsMayHaveAnyNumber) {
  model::AccessTrace trace = run_of(8, 64);
  trace.repeats = {run_of(6, 64)};
  PlaceShapes found = shapes_at(trace, kPlace);
  EXPECT_EQ(found.shapes[0].grid, (std::array<uint32_t, 3>{0, 1, 1}));
  EXPECT_EQ(found.shapes[0].relations, (std::vector<Relation>{{{2, 0}, {64}}}));
}

TEST(PlaceShapes, LaunchesOfOneUnitHaveNoSay) {
  model::AccessTrace trace = run_of(8, 64), one = run_of(1, 64);
  model::TracedLaunch& launch = one.ranks[0][0].launch;
  launch.grid = {1, 2, 1};
  launch.blocks.push_back(launch.blocks[0]);
  launch.blocks[1].index = {0, 1, 0};
  EXPECT_NE(shapes_at(one, kPlace).obstacle, "");
  trace.repeats = {one};
  EXPECT_EQ(shapes_at(trace, kPlace).obstacle, "");
}

TEST(PlaceShapes, OtherInputsThatWriteElsewhereForbidIt) {
  model::AccessTrace trace = run_of(8, 64);
  trace.repeats = {run_of(8, 64, 2)};
  EXPECT_EQ(shapes_at(trace, kPlace).obstacle, "its launches write in different ways");
}

}  // namespace
}  // namespace cuco::rewrite
