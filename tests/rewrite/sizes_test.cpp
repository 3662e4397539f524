// Programs that were rewritten by traces of some sizes, run at others: launches that the traces say nothing about run
// whole, and the results are those of the program before.
#include <gtest/gtest.h>

#include "sized.h"
#include "testing/share.h"

namespace cuco {
namespace {

const Sizes kTraced = {"48", "64"}, kNarrower = {"48", "32"}, kShorter = {"24", "64"};
// Larger and smaller than what was traced, rows that no slice divides, and one row.
const std::vector<Sizes> kOthers = {{"48", "256"}, {"130", "40"}, {"7", "96"}, {"1", "64"}};

void expect_same(const Case& one, const std::string& text, const std::vector<Sizes>& all) {
  SizedProgram before(kFolder / one.program), after = built_from(text);
  for (const Sizes& sizes : all) {
    SCOPED_TRACE(join(sizes, " x "));
    std::string expected = before.at(one, sizes);
    ASSERT_TRUE(expected.ends_with("\nok")) << expected;
    EXPECT_EQ(after.at(one, sizes), expected);
  }
}

const Case kChain{"sized_chain.cu", space::Backend::Lsa}, kGather{"sized_gather.cu", space::Backend::Lsa};

class AtOtherSizes : public testing::SharedOut<Case> {};
INSTANTIATE_TEST_SUITE_P(Programs, AtOtherSizes,
                         ::testing::Values(kChain, kGather, Case{"sized_chain.cu", space::Backend::Gin},
                                           Case{"sized_gather.cu", space::Backend::Hybrid}));

TEST_P(AtOtherSizes, ResultsAreAsBefore) {
  std::string text = rewritten_text(GetParam(), traced_at(GetParam(), kTraced, {kNarrower, kShorter}));
  std::vector<Sizes> all = kOthers;
  all.push_back(kTraced);
  expect_same(GetParam(), text, all);
}

// Where no launch is like the traced ones, and where all are.
TEST(OtherSizes, RunningWholeIsSaid) {
  const std::string said = "a kernel does not run in slices: no launch has the grid and block that it is made for";
  for (const Case& one : {kChain, kGather}) {
    SCOPED_TRACE(one.program);
    SizedProgram after = built_from(rewritten_text(one, traced_at(one, kTraced, {})));
    EXPECT_EQ(after.with_fallbacks_at(one, kTraced).find(said), std::string::npos);
    EXPECT_NE(after.with_fallbacks_at(one, {"7", "96"}).find(said), std::string::npos);
  }
}

TEST(OtherSizes, StridesFollowTheArgumentsWhereFurtherSizesShowIt) {
  expect_in_order(rewritten_text(kChain, traced_at(kChain, kTraced, {kNarrower, kShorter})),
                  {"{cuco::comm::Shape().on_grid(0, 1, 1).of_threads(64, 1, 1)\n", ".reads(",
                   ".step(2 * cuco::comm::value_of(work.columns)).length(2 * cuco::comm::value_of(work.columns)))\n",
                   ".writes(",
                   ".step(4 * cuco::comm::value_of(work.columns)).length(4 * cuco::comm::value_of(work.columns)))},\n",
                   "cuco::comm::value_of(row, 8) == 1056964608)", "4 * cuco::comm::value_of(row)"});
  expect_in_order(rewritten_text(kGather, traced_at(kGather, kTraced, {kNarrower, kShorter})),
                  {"cuco::comm::Slices(8, 0, rows, 32, stream,\n          "
                   "cuco::comm::Shape().on_grid(0, 1, 1).of_threads(32, 1, 1)"
                   ".message(4 * cuco::comm::value_of(columns) * int64_t(dim3(rows).x)))"});
}

TEST(OtherSizes, OneTracedSizeHoldsForItselfAlone) {
  std::string text = rewritten_text(kChain, traced_at(kChain, kTraced, {}));
  expect_in_order(text, {"{cuco::comm::Shape().on_grid(48, 1, 1).of_threads(64, 1, 1)"
                         ".when(cuco::comm::value_of(work.columns) == 64)",
                         "cuco::comm::Span().step(128).length(128))"});
  expect_same(kChain, text, {kTraced, {"48", "256"}, {"7", "96"}});
}

// A block of sixteen owns one run of bytes in the first of these, and every sixteenth row in the others.
TEST(OtherSizes, AFormThatFurtherSizesBreakHoldsForItselfAlone) {
  const Sizes first = {"16", "64", "turns"}, second = {"32", "64", "turns"}, third = {"16", "32", "turns"};
  for (const Case& one : {kChain, kGather}) {
    SCOPED_TRACE(one.program);
    std::string text = rewritten_text(one, traced_at(one, first, {second, third}));
    EXPECT_NE(text.find("on_grid(16, 1, 1)"), text.npos);
    expect_same(one, text, {first, second, {"48", "64", "turns"}, {"5", "200", "turns"}});
  }
}

// Sent in parts, and by the kernel itself.
TEST(OtherSizes, ALaunchOfTheTracedShapeWithOtherArgumentsIsNotCut) {
  const Sizes traced = {"48", "64", "0"}, turned = {"48", "64", "5"};
  for (const char* way : {kGather.way, "/tile-fused/flag/cta/1KiB"}) {
    SCOPED_TRACE(way);
    const Case one{"turned_rows.cu", space::Backend::Lsa, way};
    std::string text = rewritten_text(one, traced_at(one, traced, {{"48", "32", "0"}, {"24", "64", "0"}}));
    EXPECT_NE(text.find("cuco::comm::value_of(first) == 0"), text.npos) << text.substr(0, 500);
    expect_same(one, text, {traced, turned});
    SizedProgram without = built_from(replace_all(text, "cuco::comm::value_of(first) == 0", "true"));
    EXPECT_NE(without.at(one, turned), SizedProgram(kFolder / one.program).at(one, turned));
  }
}

// The planted fault: strides of the traced size for all launches.
TEST(OtherSizes, WithoutItsGuardAProgramIsWrong) {
  std::string text = rewritten_text(kChain, traced_at(kChain, kTraced, {kNarrower, kShorter}));
  for (const char* number : {"cuco::comm::value_of(work.columns)", "cuco::comm::value_of(row)"})
    text = replace_all(std::move(text), number, "64");
  SizedProgram before(kFolder / kChain.program), after = built_from(text);
  EXPECT_EQ(after.at(kChain, kTraced), before.at(kChain, kTraced));
  EXPECT_NE(after.at(kChain, {"48", "256"}), before.at(kChain, {"48", "256"}));
}

}  // namespace
}  // namespace cuco
