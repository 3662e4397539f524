#include "rewrite/evidence/chain_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::rewrite {

namespace {

enum Buffer : uint32_t { Came, Between, Out, Other };
constexpr uint64_t kRow = 64;
constexpr uint32_t kRows = 16;

// Units of `rows` rows read rows of one buffer and write the same rows of another.
model::TracedStep rows_of(const char* kernel, uint32_t rows, Buffer from, Buffer to) {
  model::TracedStep step;
  step.place = std::string(kernel) + ".cu:7", step.is_launch = true;
  step.launch = {kernel, {1, kRows / rows, 1}, {32, 1, 1}, {}, {{0, 0, from, 0}, {1, 0, to, 0}}};
  for (uint32_t y = 0; y < kRows / rows; y++) {
    uint64_t begin = y * rows * kRow, bytes = rows * kRow;
    step.launch.blocks.push_back(
        {{0, y, 0},
         {{from, false, begin, bytes, bytes, 1, true}, {to, true, begin, bytes, bytes, 1, true}},
         false,
         {},
         {}});
  }
  return step;
}

model::TracedStep call(model::Collective collective, Buffer buffer) {
  model::TracedStep step;
  step.place = "/elsewhere/program.cu:9";
  model::TracedPlace place{true, buffer, 0}, none;
  bool sends = collective == model::Collective::Send;
  step.call = {collective, kRows * kRow, 1, 0, 2, sends ? place : none, sends ? none : place};
  return step;
}

std::vector<ChainLaunch> chain(const std::vector<model::TracedStep>& steps) {
  return chain_of({{steps}, {}}, {"program.cu:9"});
}

const ChainLaunch* find(const std::vector<ChainLaunch>& all, const std::string& kernel) {
  auto found = std::find_if(all.begin(), all.end(), [&](const ChainLaunch& one) { return one.kernel == kernel; });
  return found == all.end() ? nullptr : &*found;
}

TEST(ChainFacts, GoesBackFromWhatIsSentToWhatCame) {
  std::vector<ChainLaunch> found = chain({call(model::Collective::Recv, Came), rows_of("first", 1, Came, Between),
                                          rows_of("second", 4, Between, Out), call(model::Collective::Send, Out)});
  ASSERT_TRUE(find(found, "first") && find(found, "second"));
}

TEST(ChainFacts, SlicesBeginWhereTheirReadersDo) {
  std::vector<ChainLaunch> found = chain(
      {rows_of("first", 1, Other, Between), rows_of("second", 4, Between, Out), call(model::Collective::Send, Out)});
  EXPECT_EQ(find(found, "first")->forms[0].grain, 4u);
  EXPECT_EQ(find(found, "second")->forms[0].grain, 1u);
}

TEST(ChainFacts, IndependentLaunchesAreNoPartOfIt) {
  std::vector<ChainLaunch> found = chain({rows_of("feeds", 1, Other, Out), rows_of("beside", 1, Other, Between),
                                          call(model::Collective::Send, Out), rows_of("later", 1, Other, Out)});
  EXPECT_EQ(found.size(), 1u);
  EXPECT_NE(find(found, "feeds"), nullptr);
}

TEST(ChainFacts, LaunchesOfOnePlaceMayHaveSeveralShapes) {
  model::TracedStep wide = rows_of("first", 4, Other, Out);
  std::vector<ChainLaunch> found = chain({rows_of("first", 1, Other, Out), wide, call(model::Collective::Send, Out)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].obstacle, "its launches write in different ways");
  wide.launch.block = {64, 1, 1};
  found = chain({rows_of("first", 1, Other, Out), wide, call(model::Collective::Send, Out)});
  EXPECT_EQ(found[0].obstacle, "");
  EXPECT_EQ(found[0].forms.size(), 2u);
}

TEST(ChainFacts, AGridOfOneBlockRunsWhole) {
  EXPECT_EQ(chain({rows_of("first", kRows, Other, Out), call(model::Collective::Send, Out)})[0].obstacle,
            "its grid is one block");
}

}  // namespace
}  // namespace cuco::rewrite
