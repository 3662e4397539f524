#include "model/region_text.h"

#include <gtest/gtest.h>

#include "model/timed_region.h"
#include "testing/program_builder.h"

namespace cuco::model {
namespace {

struct RegionTexts : public ::testing::Test {
  testing::ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
  Index y = builder.buffer("y");
  Index start = builder.event("start");
  Index stop = builder.event("stop");

  void begin() { builder.record(start, s); }
  void end() {
    builder.record(stop, s);
    builder.elapsed(start, stop);
  }
  Result<RegionText> found() {
    builder.program().timed_region = find_timed_region(builder.program());
    return find_region_text(builder.program());
  }
  std::string reason() {
    Result<RegionText> region = found();
    return region ? "" : region.error().message;
  }
};

TEST_F(RegionTexts, GoesFromTheFirstStatementToTheEndOfTheLast) {
  begin();
  builder.all_reduce(x, y, s);
  end();
  RegionText region = found().value();
  const Program& program = builder.program();
  EXPECT_EQ(region.begin_byte, program.operations.front().statement.begin_byte);
  EXPECT_EQ(region.end_byte, program.operations[2].statement.end_byte);
  EXPECT_EQ(region.own_calls, 1u);
  EXPECT_EQ(region.set_up, "");
}

TEST_F(RegionTexts, LoopAroundItIsNotInIt) {
  builder.loop("round", 2, [&](uint32_t) {
    begin();
    builder.all_reduce(x, y, s);
    end();
  });
  builder.program().loops[0].limit_value = Symbolic::constant(50);
  EXPECT_EQ(found().value().own_calls, 1u);
}

TEST_F(RegionTexts, LoopsInItSayHowOftenItCommunicates) {
  begin();
  builder.loop("round", 2, [&](uint32_t) { builder.all_reduce(x, y, s); });
  end();
  EXPECT_EQ(found().value().own_calls, 1u) << "nobody knows the limit";
  Loop& loop = builder.program().loops[0];
  loop.first = "0", loop.step = "+1", loop.limit = "< 50";
  loop.limit_value = Symbolic::constant(50);
  EXPECT_EQ(found().value().own_calls, 50u);
  builder.program().loops[0].first = "rank";
  EXPECT_EQ(found().value().own_calls, 1u);
}

TEST_F(RegionTexts, IsTheLastWhereOnlyResultsAreLookedAtAfterIt) {
  begin();
  builder.all_reduce(x, y, s);
  end();
  builder.sync_device();
  EXPECT_TRUE(found().value().is_last);
}

TEST_F(RegionTexts, IsNotTheLastWhereWorkFollows) {
  begin();
  builder.all_reduce(x, y, s);
  end();
  builder.launch("check", s, {});
  EXPECT_FALSE(found().value().is_last);
}

TEST_F(RegionTexts, IsNotTheLastInALoop) {
  builder.loop("round", 2, [&](uint32_t) {
    begin();
    builder.all_reduce(x, y, s);
    end();
  });
  EXPECT_FALSE(found().value().is_last);
}

TEST_F(RegionTexts, OneCallOutsideOfTheLoopIsMadeOnce) {
  begin();
  builder.loop("round", 2, [&](uint32_t) { builder.all_reduce(x, y, s); });
  builder.all_reduce(y, x, s);
  end();
  Loop& loop = builder.program().loops[0];
  loop.first = "0", loop.step = "+1", loop.limit = "< 50";
  loop.limit_value = Symbolic::constant(50);
  EXPECT_EQ(found().value().own_calls, 1u);
}

TEST_F(RegionTexts, MacrosKeepItFromBeingMarkedAndConditionsDoNot) {
  begin();
  builder.all_reduce(x, y, s);
  builder.when("timed", [&] { builder.record(stop, s); });
  builder.elapsed(start, stop);
  EXPECT_EQ(reason(), "");
  builder.program().operations[0].statement.editable = false;
  EXPECT_NE(reason().find("the region begins or ends inside a macro"), std::string::npos) << reason();
}

TEST_F(RegionTexts, CallThatLeadsToItsEndStandsForTheEnd) {
  builder.inside_call([&] { begin(); });
  builder.all_reduce(x, y, s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  RegionText region = found().value();
  const Program& program = builder.program();
  EXPECT_EQ(region.begin_byte, program.operations[0].call_path[0].begin_byte);
  EXPECT_EQ(region.end_byte, program.operations[2].statement.end_byte);
}

TEST_F(RegionTexts, BothEndsInCallsOfOneFunctionAreMarkedThere) {
  builder.inside_call([&] {
    builder.inside_call([&] { begin(); });
    builder.all_reduce(x, y, s);
    builder.inside_call([&] { end(); });
  });
  RegionText region = found().value();
  const Program& program = builder.program();
  EXPECT_EQ(region.begin_byte, program.operations[0].call_path[1].begin_byte);
  EXPECT_EQ(region.end_byte, program.operations[2].call_path[1].end_byte);
}

TEST_F(RegionTexts, LoopThatItEndsInIsTakenWhole) {
  begin();
  builder.loop("round", 2, [&](uint32_t) {
    builder.all_reduce(x, y, s);
    builder.record(stop, s);
  });
  builder.elapsed(start, stop);
  RegionText region = found().value();
  EXPECT_EQ(region.begin_byte, builder.program().operations[0].statement.begin_byte);
  EXPECT_EQ(region.end_byte, builder.program().loops[0].range.end_byte);
}

TEST_F(RegionTexts, LoopInACalledFunctionIsMarkedThere) {
  builder.inside_call(
      [&] { builder.loop("round", 2, [&](uint32_t) { builder.inside_call([&] { builder.all_reduce(x, y, s); }); }); });
  // A loop of the test holds what its body does.
  builder.program().loops[0].range.begin_byte = 0;
  builder.program().loops[0].range.end_byte = UINT32_MAX;
  builder.program().operations[0].call_path[0].file = 1;
  RegionText region = found().value();
  EXPECT_EQ(region.begin_byte, 0u);
  EXPECT_EQ(region.end_byte, UINT32_MAX);
}

TEST_F(RegionTexts, WhatProgramsMakeOnceIsNamed) {
  begin();
  builder.allocate(x);
  builder.all_reduce(x, y, s);
  end();
  EXPECT_NE(found().value().set_up.find("cudaMalloc"), std::string::npos);
}

}  // namespace
}  // namespace cuco::model
