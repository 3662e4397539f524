#include "rewrite/evidence/unit_forms.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {

namespace {

using footprint::Relation;
using footprint::Term;

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

TEST(UnitForms, StridesThatFollowAnArgumentHoldAtOtherSizes) {
  model::AccessTrace trace = run_of(8, 64);
  trace.further = {run_of(8, 32), run_of(5, 64)};
  UnitForms found = unit_forms(trace, kPlace);
  ASSERT_EQ(found.obstacle, "");
  EXPECT_TRUE(found.forms.at(0).form.at_other_sizes);
  ASSERT_EQ(found.forms.size(), 1u);
  EXPECT_EQ(found.forms[0].form.guard.grid, (std::array<uint32_t, 3>{0, 1, 1}));
  EXPECT_TRUE(found.forms[0].form.guard.relations.empty());
  const footprint::AccessTerms& written = found.forms[0].form.accesses[1];
  EXPECT_EQ(written.offset, Term{});
  EXPECT_EQ(written.step(), kColumns);
  EXPECT_EQ(written.bytes, kColumns);
}

TEST(UnitForms, OneFurtherSizeIsNotEnough) {
  model::AccessTrace trace = run_of(8, 64);
  trace.further = {run_of(8, 32)};
  UnitForms found = unit_forms(trace, kPlace);
  EXPECT_FALSE(found.forms.at(0).form.at_other_sizes);
  EXPECT_EQ(found.forms[0].form.guard.grid, (std::array<uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(found.forms[0].form.guard.relations, (std::vector<Relation>{{{2, 0}, footprint::Term{64}}}));
}

// What no argument tells apart cannot be guarded.
TEST(UnitForms, SizesThatNoNumberExplainsHoldForTheTracedOnesAlone) {
  model::AccessTrace trace = run_of(8, 64);
  trace.further = {run_of(8, 32, 3), run_of(5, 64, 2)};
  EXPECT_FALSE(unit_forms(trace, kPlace).forms.at(0).form.at_other_sizes);
  trace.is_case = true;
  EXPECT_EQ(unit_forms(trace, kPlace).obstacle,
            "no product of its launch's numbers gives what its blocks touch at all traced sizes");
}

TEST(UnitForms, LaunchesThatDifferInTheirRowsMayHaveAnyNumber) {
  model::AccessTrace trace = run_of(8, 64);
  trace.repeats = {run_of(6, 64)};
  UnitForms found = unit_forms(trace, kPlace);
  EXPECT_EQ(found.forms[0].form.guard.grid, (std::array<uint32_t, 3>{0, 1, 1}));
  EXPECT_EQ(found.forms[0].form.guard.relations, (std::vector<Relation>{{{2, 0}, footprint::Term{64}}}));
}

TEST(UnitForms, LaunchesOfOneUnitHaveNoSay) {
  model::AccessTrace trace = run_of(8, 64), one = run_of(1, 64);
  model::TracedLaunch& launch = one.ranks[0][0].launch;
  launch.grid = {1, 2, 1};
  launch.blocks.push_back(launch.blocks[0]);
  launch.blocks[1].index = {0, 1, 0};
  EXPECT_NE(unit_forms(one, kPlace).obstacle, "");
  trace.repeats = {one};
  EXPECT_EQ(unit_forms(trace, kPlace).obstacle, "");
}

TEST(UnitForms, OtherInputsThatWriteElsewhereForbidIt) {
  model::AccessTrace trace = run_of(8, 64);
  trace.repeats = {run_of(8, 64, 2)};
  EXPECT_EQ(unit_forms(trace, kPlace).obstacle, "its launches write in different ways");
}

// Units of the repeat read the rows in another order.
TEST(UnitForms, ReadsThatOtherInputsChangeMayBeAnywhere) {
  model::AccessTrace trace = run_of(8, 64), other = run_of(8, 64, 2);
  for (size_t i = 0; i < 8; i++)
    other.ranks[0][0].launch.blocks[i].footprints[1] = trace.ranks[0][0].launch.blocks[i].footprints[1];
  trace.repeats = {other};
  UnitForms found = unit_forms(trace, kPlace);
  ASSERT_EQ(found.obstacle, "");
  EXPECT_FALSE(found.forms.at(0).form.accesses.at(0).has_rule());
  EXPECT_TRUE(found.forms.at(0).form.accesses.at(1).has_rule());
}

}  // namespace
}  // namespace cuco::rewrite
