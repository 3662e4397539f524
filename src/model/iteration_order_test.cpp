#include "model/iteration_order.h"

#include <gtest/gtest.h>

#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::bytes_of;
using testing::ProgramBuilder;
using testing::reads_from;
using testing::stretch;
using testing::writes_to;

struct Turning : public ::testing::Test {
  ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
  Index scratch = builder.buffer("scratch");
  Index out = builder.buffer("out");

  IterationOrder of_loop(Index loop = 0) {
    build_comm_graph(builder.program());
    return find_iteration_order(builder.program(),
                                find_step_dependences(builder.program(), find_exchanges(builder.program())), loop);
  }
  static Symbolic part(uint32_t i) { return bytes_of(i * 64); }
};

using Texts = std::vector<std::string>;

TEST_F(Turning, ScratchThatEveryIterationFillsIsFree) {
  builder.loop("i", 3, [&](uint32_t i) {
    builder.launch("fill", s, {reads_from(x, part(i)), writes_to(scratch)});
    builder.launch("use", s, {reads_from(scratch), writes_to(out, part(i))});
  });
  IterationOrder order = of_loop();
  EXPECT_EQ(order.objections, Texts{});
  EXPECT_TRUE(order.assumed);
}

TEST_F(Turning, SumIntoOneBufferKeepsItsOrder) {
  builder.loop("i", 3, [&](uint32_t i) {
    builder.launch("add", s, {reads_from(x, part(i)), testing::pointer(out, Access::ReadWrite)});
  });
  EXPECT_EQ(of_loop().objections[0], "an iteration reads what an earlier one wrote to `out`");
}

TEST_F(Turning, LastWriterOfWhatIsReadLaterStaysLast) {
  builder.loop("i", 3, [&](uint32_t i) { builder.launch("fill", s, {reads_from(x, part(i)), writes_to(scratch)}); });
  builder.launch("after", s, {reads_from(scratch), writes_to(out)});
  EXPECT_EQ(of_loop().objections, Texts{"what the last iteration leaves in `scratch` is needed after the loop"});
}

TEST_F(Turning, ReaderOfWhatALaterIterationOverwritesStaysFirst) {
  builder.loop("i", 3, [&](uint32_t i) {
    builder.launch("use", s, {reads_from(scratch), writes_to(out, part(i))});
    builder.when("i > 1", [&] { builder.launch("fill", s, {writes_to(scratch)}); });
  });
  Texts objections = of_loop().objections;
  EXPECT_NE(
      std::find(objections.begin(), objections.end(), "an iteration overwrites what an earlier one reads of `scratch`"),
      objections.end());
}

TEST_F(Turning, SlicesThatAreProvenApartNeedNoAssumption) {
  builder.loop("i", 3, [&](uint32_t i) {
    builder.copy(CopyKind::DeviceToDevice, s,
                 {stretch(x, Access::Read, part(i), bytes_of(64)), stretch(out, Access::Write, part(i), bytes_of(64))});
  });
  IterationOrder order = of_loop();
  EXPECT_EQ(order.objections, Texts{});
  EXPECT_FALSE(order.assumed);
}

TEST_F(Turning, MessagesOfOneGroupAreFree) {
  builder.group_start();
  builder.loop("i", 3, [&](uint32_t i) { builder.send(stretch(x, Access::Read, part(i), bytes_of(64)), "i", s); });
  builder.group_end();
  EXPECT_EQ(of_loop().objections, Texts{});
}

TEST_F(Turning, AGroupForEachPeerKeepsItsOrder) {
  builder.loop("i", 3, [&](uint32_t i) {
    builder.group_start();
    builder.send(stretch(x, Access::Read, part(i), bytes_of(64)), "i", s);
    builder.group_end();
  });
  EXPECT_EQ(of_loop().objections,
            Texts{"ncclSend is not in a group around the loop, so peers meet one after the other"});
}

TEST_F(Turning, CollectivesKeepTheirOrder) {
  builder.loop("i", 3, [&](uint32_t) { builder.all_reduce(x, out, s); });
  EXPECT_EQ(of_loop().objections[0], "all ranks must call ncclAllReduce in the same order");
}

TEST_F(Turning, OuterLoopsDoNotBindTheInnerOne) {
  builder.loop("round", 2, [&](uint32_t) {
    builder.loop("i", 2, [&](uint32_t i) {
      builder.copy(
          CopyKind::DeviceToDevice, s,
          {stretch(x, Access::Read, part(i), bytes_of(64)), stretch(scratch, Access::Write, part(i), bytes_of(64))});
    });
    builder.launch("back", s, {reads_from(scratch), writes_to(x)});
  });
  EXPECT_EQ(of_loop(1).objections, Texts{});
}

TEST(RunsOverRanks, ByTextOrByValueFromZeroByOne) {
  Program program;
  program.communicators.push_back(
      {"world", CommunicatorOrigin::InitRank, "team.size", kNone, Symbolic::unknown("n", 3)});
  auto loop = [](std::string first, std::string limit, std::string step) {
    return Loop{LoopKind::For, {}, "i", std::move(first), std::move(limit), std::move(step), kNone};
  };
  EXPECT_TRUE(runs_over_ranks(program, loop("0", "< team.size", "+1")));
  EXPECT_FALSE(runs_over_ranks(program, loop("1", "< team.size", "+1")));
  EXPECT_FALSE(runs_over_ranks(program, loop("0", "< team.size", "+2")));
  EXPECT_FALSE(runs_over_ranks(program, loop("0", "< 2 * team.size", "+1")));
  Loop by_value = loop("0", "< count", "+1");
  EXPECT_FALSE(runs_over_ranks(program, by_value));
  by_value.limit_value = Symbolic::unknown("n", 3);
  EXPECT_TRUE(runs_over_ranks(program, by_value));
}

}  // namespace
}  // namespace cuco::model
