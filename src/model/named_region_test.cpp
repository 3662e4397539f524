#include "model/named_region.h"

#include <gtest/gtest.h>

#include "testing/program_builder.h"

namespace cuco::model {
namespace {

struct NamedRegions : public ::testing::Test {
  testing::ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
  Index y = builder.buffer("y");

  Index next_step() { return static_cast<Index>(builder.program().steps.size()); }
  uint32_t line_of(Index step) {
    return builder.program().operations[builder.program().steps[step].operation].range.line;
  }
  std::string reason(const std::string& name) { return find_named_region(builder.program(), name).error().message; }
};

TEST_F(NamedRegions, LinesAreWhatIsCalledThere) {
  builder.launch("before", s, {});
  builder.launch("first", s, {});
  builder.all_reduce(x, y, s);
  builder.launch("after", s, {});
  std::string name = "program.cu:" + std::to_string(line_of(1)) + "-" + std::to_string(line_of(2));
  TimedRegion region = find_named_region(builder.program(), name).value();
  EXPECT_EQ(region.basis, RegionBasis::Named);
  EXPECT_EQ(region.first_step, 1u);
  EXPECT_EQ(region.last_step, 2u);
}

TEST_F(NamedRegions, LoopThatStandsInTheLinesIsTakenWhole) {
  builder.loop("i", 3, [&](uint32_t) { builder.all_reduce(x, y, s); });
  uint32_t loop_line = builder.program().loops[0].range.line;
  std::string name = "program.cu:" + std::to_string(loop_line) + "-" + std::to_string(line_of(0));
  TimedRegion region = find_named_region(builder.program(), name).value();
  EXPECT_EQ(region.first_step, 0u);
  EXPECT_EQ(region.last_step, 2u);
  EXPECT_EQ(region.loop, kNone);
}

TEST_F(NamedRegions, LinesInALoopAreOneIterationOfIt) {
  builder.loop("i", 3, [&](uint32_t) {
    builder.launch("work", s, {});
    builder.all_reduce(x, y, s);
  });
  TimedRegion region = find_named_region(builder.program(), "program.cu:" + std::to_string(line_of(1))).value();
  EXPECT_EQ(region.first_step, 5u);
  EXPECT_EQ(region.last_step, 5u);
  EXPECT_EQ(region.loop, 0u);
}

TEST_F(NamedRegions, FunctionIsOneCallOfIt) {
  builder.loop("i", 2, [&](uint32_t) {
    builder.inside_call(
        [&] {
          builder.launch("work", s, {});
          builder.inside_call([&] { builder.all_reduce(x, y, s); }, "exchange");
        },
        "step");
  });
  TimedRegion region = find_named_region(builder.program(), "step").value();
  EXPECT_EQ(region.first_step, 2u);
  EXPECT_EQ(region.last_step, 3u);
  EXPECT_EQ(find_named_region(builder.program(), "exchange").value().first_step, 3u);
}

TEST_F(NamedRegions, NamesOfNothingAreRefused) {
  builder.launch("work", s, {});
  EXPECT_EQ(reason("other.cu:1-2"), "--region other.cu:1-2: the program has no such file");
  EXPECT_EQ(reason("program.cu:1-2"), "--region program.cu:1-2: nothing is done on a device there");
  EXPECT_EQ(reason("program.cu:9-2"),
            "--region program.cu:9-2: lines are written FILE:FIRST-LAST, such as main.cu:40-62");
  EXPECT_EQ(reason("step"), "--region step: nothing is done on a device there");
}

}  // namespace
}  // namespace cuco::model
