#include "model/dependences.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::bytes_of;
using testing::pointer;
using testing::ProgramBuilder;
using testing::reads_from;
using testing::stretch;
using testing::writes_to;

std::vector<Dependence> dependences_of(ProgramBuilder& builder) {
  return build_comm_graph(builder.program()).dependences;
}

Index kernel_named(const Program& program, const std::string& name) {
  for (Index index = 0; index < program.operations.size(); ++index)
    if (program.operations[index].callee == name) return index;
  return kNone;
}

// "from>to kind flags", sorted as the graph sorts them; flags: c carried, a assumed, u unordered.
std::vector<std::string> texts_of(ProgramBuilder& builder) {
  std::vector<std::string> texts;
  for (const Dependence& d : dependences_of(builder)) {
    std::string kind = d.kind == DependenceKind::ReadAfterWrite   ? "raw"
                       : d.kind == DependenceKind::WriteAfterRead ? "war"
                                                                  : "waw";
    std::string flags = std::string(d.carried ? "c" : "") + (d.assumed ? "a" : "") + (d.ordered ? "" : "u");
    texts.push_back(builder.operation_at(d.from).callee + ">" + builder.operation_at(d.to).callee + " " + kind +
                    (flags.empty() ? "" : " " + flags));
  }
  return texts;
}

using Texts = std::vector<std::string>;

struct OneStream : public ::testing::Test {
  ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
};

using Dependences = OneStream;

TEST_F(Dependences, ReadersOfOneWriterDoNotDependOnEachOther) {
  builder.launch("w", s, {writes_to(x)});
  builder.launch("r1", s, {reads_from(x)});
  builder.launch("r2", s, {reads_from(x)});
  EXPECT_EQ(texts_of(builder), (Texts{"w>r1 raw", "w>r2 raw"}));
}

TEST_F(Dependences, OnlyTheNearestWriterIsReported) {
  builder.launch("w1", s, {writes_to(x)});
  builder.launch("w2", s, {writes_to(x)});
  builder.launch("r", s, {reads_from(x)});
  EXPECT_EQ(texts_of(builder), (Texts{"w1>w2 waw", "w2>r raw"}));
}

TEST_F(Dependences, RewriteAfterReadsDependsOnTheReads) {
  builder.launch("w1", s, {writes_to(x)});
  builder.launch("r", s, {reads_from(x)});
  builder.launch("w2", s, {writes_to(x)});
  EXPECT_EQ(texts_of(builder), (Texts{"w1>r raw", "r>w2 war"}));
}

TEST_F(Dependences, InPlaceWorkChains) {
  builder.launch("a", s, {pointer(x, Access::ReadWrite)});
  builder.launch("b", s, {pointer(x, Access::ReadWrite)});
  EXPECT_EQ(texts_of(builder), (Texts{"a>b raw"}));
}

TEST_F(Dependences, DisjointStretchesAreIndependent) {
  builder.send(stretch(x, Access::Read, bytes_of(0), bytes_of(1024)), "1", s);
  builder.recv(stretch(x, Access::Write, bytes_of(1024), bytes_of(1024)), "1", s);
  EXPECT_EQ(texts_of(builder), Texts{});
}

TEST_F(Dependences, StretchesThatShareOneByteDepend) {
  builder.send(stretch(x, Access::Read, bytes_of(0), bytes_of(1025)), "1", s);
  builder.recv(stretch(x, Access::Write, bytes_of(1024), bytes_of(1024)), "1", s);
  EXPECT_EQ(texts_of(builder), (Texts{"ncclSend>ncclRecv war"}));
}

TEST_F(Dependences, StretchesAtUnrelatedOffsetsPerhapsMeet) {
  builder.send(stretch(x, Access::Read, Symbolic::unknown("from"), bytes_of(4)), "1", s);
  builder.recv(stretch(x, Access::Write, Symbolic::unknown("to"), bytes_of(4)), "1", s);
  EXPECT_EQ(texts_of(builder), (Texts{"ncclSend>ncclRecv war a"}));
}

TEST_F(Dependences, StretchOfUnknownLengthPerhapsReachesTheNext) {
  builder.send(stretch(x, Access::Read, bytes_of(0), Symbolic::unknown("n")), "1", s);
  builder.recv(stretch(x, Access::Write, bytes_of(1024), bytes_of(4)), "1", s);
  EXPECT_EQ(texts_of(builder), (Texts{"ncclSend>ncclRecv war a"}));
}

TEST_F(Dependences, KernelAtTheStartOfTheBufferReachesAllOfIt) {
  builder.launch("w", s, {writes_to(x)});
  builder.send(stretch(x, Access::Read, bytes_of(1024), bytes_of(1024)), "1", s);
  EXPECT_EQ(texts_of(builder), (Texts{"w>ncclSend raw"}));
}

TEST_F(Dependences, KernelThatIsAlsoGivenAnotherSliceReachesItsOwnForCertain) {
  builder.launch("w", s, {writes_to(x)});
  builder.launch("w", s, {writes_to(x, bytes_of(1024))});
  builder.send(stretch(x, Access::Read, bytes_of(1024), bytes_of(1024)), "1", s);
  EXPECT_EQ(texts_of(builder), (Texts{"w>w waw a", "w>ncclSend raw"}));
}

TEST_F(Dependences, SliceThatPerhapsMeetsHidesNoCertainWriter) {
  builder.launch("a", s, {writes_to(x)});
  builder.launch("part", s, {writes_to(x, bytes_of(1024))});
  builder.send(stretch(x, Access::Read, bytes_of(2048), bytes_of(1024)), "1", s);
  // `a` reaches everything, so it is the certain producer; `part` starts elsewhere and only may reach what is sent.
  EXPECT_EQ(texts_of(builder), (Texts{"a>part waw", "a>ncclSend raw", "part>ncclSend raw a"}));
}

TEST_F(Dependences, ConditionalWriterDoesNotHideTheOneBefore) {
  builder.launch("w1", s, {writes_to(x)});
  builder.when("flag", [&] { builder.launch("w2", s, {writes_to(x)}); });
  builder.launch("r", s, {reads_from(x)});
  EXPECT_EQ(texts_of(builder), (Texts{"w1>w2 waw", "w1>r raw", "w2>r raw"}));
}

TEST_F(Dependences, WriterUnderTheReadersConditionHidesTheOneBefore) {
  builder.launch("w1", s, {writes_to(x)});
  builder.when("flag", [&] {
    builder.launch("w2", s, {writes_to(x)});
    builder.launch("r", s, {reads_from(x)});
  });
  EXPECT_EQ(texts_of(builder), (Texts{"w1>w2 waw", "w2>r raw"}));
}

TEST_F(Dependences, WriterUnderTheEarlierWritersConditionHidesIt) {
  builder.when("flag", [&] {
    builder.launch("w1", s, {writes_to(x)});
    builder.launch("w2", s, {writes_to(x)});
  });
  builder.launch("r", s, {reads_from(x)});
  EXPECT_EQ(texts_of(builder), (Texts{"w1>w2 waw", "w2>r raw"}));
}

TEST_F(Dependences, WriterUnderADecidedConditionHidesTheOneBefore) {
  builder.launch("w1", s, {writes_to(x)});
  builder.when("true", [&] { builder.launch("w2", s, {writes_to(x)}); });
  builder.program().steps.back().conditional = false;
  builder.launch("r", s, {reads_from(x)});
  EXPECT_EQ(texts_of(builder), (Texts{"w1>w2 waw", "w2>r raw"}));
}

TEST_F(Dependences, OperandThatMayPointToEitherBufferHidesNothing) {
  Index y = builder.buffer("y");
  Region either[] = {builder.whole(x, Access::Write), builder.whole(y, Access::Write)};
  for (Region& region : either) region.through = "pick";
  builder.launch("w1", s, {writes_to(x)});
  builder.copy(CopyKind::HostToDevice, s, {either[0], either[1]});
  builder.launch("r", s, {reads_from(x)});
  EXPECT_EQ(texts_of(builder), (Texts{"w1>cudaMemcpyAsync waw a", "w1>r raw", "cudaMemcpyAsync>r raw a"}));
}

TEST_F(Dependences, SidesOfOneBranchExcludeEachOther) {
  builder.when("rank == 0", [&] { builder.send(builder.whole(x, Access::Read), "1", s); });
  builder.when("!(rank == 0)", [&] { builder.recv(builder.whole(x, Access::Write), "0", s); });
  EXPECT_EQ(texts_of(builder), Texts{});
}

TEST_F(Dependences, SidesOfTwoBranchesDoNot) {
  builder.when("rank == 0", [&] { builder.send(builder.whole(x, Access::Read), "1", s); });
  builder.when("!(rank == 1)", [&] { builder.recv(builder.whole(x, Access::Write), "0", s); });
  EXPECT_EQ(texts_of(builder), (Texts{"ncclSend>ncclRecv war"}));
}

TEST_F(Dependences, ReuseInTheNextIterationIsCarried) {
  builder.loop("i", 3, [&](uint32_t) {
    builder.launch("w", s, {writes_to(x)});
    builder.launch("r", s, {reads_from(x)});
  });
  EXPECT_EQ(texts_of(builder), (Texts{"w>r raw", "r>w war c"}));
}

TEST_F(Dependences, DoubleBufferDelaysTheReuse) {
  Index buffers[] = {x, builder.buffer("y")};
  builder.loop("i", 2, [&](uint32_t i) {
    builder.launch("w", s, {writes_to(buffers[i % 2])});
    builder.launch("r", s, {reads_from(buffers[i % 2])});
  });
  EXPECT_EQ(texts_of(builder), (Texts{"w>r raw", "w>r raw"}));
}

TEST_F(Dependences, OuterLoopCountsForWorkInDifferentInnerLoops) {
  builder.loop("outer", 2, [&](uint32_t) {
    builder.loop("i", 1, [&](uint32_t) { builder.launch("w", s, {writes_to(x)}); });
    builder.loop("j", 1, [&](uint32_t) { builder.launch("r", s, {reads_from(x)}); });
  });
  EXPECT_EQ(texts_of(builder), (Texts{"w>r raw", "r>w war c"}));
}

TEST_F(Dependences, MissingEventIsUnorderedAndWarned) {
  Index comm = builder.stream("comm");
  builder.launch("w", s, {writes_to(x)});
  builder.send(builder.whole(x, Access::Read), "1", comm);
  EXPECT_EQ(texts_of(builder), (Texts{"w>ncclSend raw u"}));
  ASSERT_EQ(builder.program().diagnostics.size(), 1u);
  const std::string& message = builder.program().diagnostics[0].message;
  EXPECT_NE(message.find("`ncclSend` reads `x` written by `w` at program.cu:"), std::string::npos) << message;
  EXPECT_NE(message.find("record an event on stream `s`"), std::string::npos) << message;
  EXPECT_EQ(builder.program().diagnostics[0].severity, Severity::Warning);
}

TEST_F(Dependences, EventMakesItOrderedAndSilent) {
  Index comm = builder.stream("comm");
  Index ready = builder.event("ready");
  builder.launch("w", s, {writes_to(x)});
  builder.record(ready, s);
  builder.wait(comm, ready);
  builder.send(builder.whole(x, Access::Read), "1", comm);
  EXPECT_EQ(texts_of(builder), (Texts{"w>ncclSend raw"}));
  EXPECT_TRUE(builder.program().diagnostics.empty());
}

TEST_F(Dependences, MissingEventForReuseInTheNextIterationIsWarned) {
  Index comm = builder.stream("comm");
  Index ready = builder.event("ready");
  builder.loop("i", 2, [&](uint32_t) {
    builder.launch("w", s, {writes_to(x)});
    builder.record(ready, s);
    builder.wait(comm, ready);
    builder.send(builder.whole(x, Access::Read), "1", comm);
  });
  EXPECT_EQ(texts_of(builder), (Texts{"w>ncclSend raw", "ncclSend>w war cu"}));
  ASSERT_EQ(builder.program().diagnostics.size(), 1u);
  EXPECT_NE(builder.program().diagnostics[0].message.find("in an earlier iteration"), std::string::npos);
}

// Slices on two streams without an event between neighbours: the whole point of chunking, so not worth a warning.
TEST_F(Dependences, SlicesThatOnlyPerhapsMeetAreNotWarnedAbout) {
  Index comm = builder.stream("comm");
  Index ready = builder.event("ready");
  builder.loop("c", 3, [&](uint32_t c) {
    builder.launch("w", s, {writes_to(x, bytes_of(1024 * c))});
    builder.record(ready, s);
    builder.wait(comm, ready);
    builder.send(stretch(x, Access::Read, bytes_of(1024 * c), bytes_of(1024)), "1", comm);
  });
  EXPECT_EQ(texts_of(builder), (Texts{"w>ncclSend raw", "ncclSend>w war cau"}));
  EXPECT_TRUE(builder.program().diagnostics.empty());
}

// Two sends of one call: the first of the slice that was waited for, the second of one that nothing says was written.
TEST_F(Dependences, OrderOfCertainInstancesDecides) {
  Index comm = builder.stream("comm");
  Index ready = builder.event("ready");
  builder.launch("w", s, {writes_to(x, bytes_of(1024))});
  builder.record(ready, s);
  builder.launch("late", s, {writes_to(x, bytes_of(2048))});
  builder.wait(comm, ready);
  builder.loop("i", 2, [&](uint32_t i) {
    builder.send(stretch(x, Access::Read, bytes_of(1024 * (1 + 2 * i)), bytes_of(1024)), "1", comm);
  });
  EXPECT_EQ(texts_of(builder), (Texts{"w>late waw a", "w>ncclSend raw", "late>ncclSend raw au"}));
  EXPECT_TRUE(builder.program().diagnostics.empty());
}

TEST_F(Dependences, SendAndReceiveOfTheSameBytesInOneGroupRace) {
  builder.group_start();
  builder.send(builder.whole(x, Access::Read), "next", s);
  builder.recv(builder.whole(x, Access::Write), "previous", s);
  builder.group_end();
  EXPECT_EQ(texts_of(builder), (Texts{"ncclSend>ncclRecv war u"}));
  ASSERT_EQ(builder.program().diagnostics.size(), 1u);
  EXPECT_NE(builder.program().diagnostics[0].message.find("one NCCL group"), std::string::npos);
}

TEST_F(Dependences, MembersOfAGroupAtUnrelatedOffsetsAreIndependent) {
  builder.group_start();
  builder.send(stretch(x, Access::Read, Symbolic::unknown("from"), bytes_of(4)), "peer", s);
  builder.recv(stretch(x, Access::Write, Symbolic::unknown("to"), bytes_of(4)), "peer", s);
  builder.group_end();
  EXPECT_EQ(texts_of(builder), Texts{});
}

TEST_F(Dependences, OrderIsThatOfTheOperations) {
  Index y = builder.buffer("y");
  builder.launch("a", s, {writes_to(y), writes_to(x)});
  builder.launch("b", s, {reads_from(x), reads_from(y)});
  std::vector<Dependence> found = dependences_of(builder);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].buffer, x);
  EXPECT_EQ(found[1].buffer, y);
  EXPECT_EQ(found[0].from, kernel_named(builder.program(), "a"));
}

}  // namespace
}  // namespace cuco::model
