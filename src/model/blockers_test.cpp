#include "model/blockers.h"

#include <gtest/gtest.h>

#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::ProgramBuilder;

struct Blockers : public ::testing::Test {
  ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
  Index y = builder.buffer("y");

  CommGraph graph() { return build_comm_graph(builder.program()); }
  // What keeps it on the host; else what keeps its buffers from being windows.
  std::vector<std::string> of_site(size_t index = 0) {
    Site site = graph().sites.at(index);
    return site.blockers.empty() ? site.staging : site.blockers;
  }
  CommunicateDetail& detail(Index operation) { return *builder.operation_at(operation).communicate; }

  void expect_only(const std::string& part) {
    std::vector<std::string> found = of_site();
    ASSERT_EQ(found.size(), 1u) << part;
    EXPECT_NE(found[0].find(part), std::string::npos) << found[0];
    EXPECT_TRUE(graph().window_buffers.empty());
  }
};

TEST_F(Blockers, PlainCollectiveHasNoneAndMakesWindows) {
  builder.all_reduce(x, y, s);
  EXPECT_TRUE(of_site().empty());
  EXPECT_EQ(graph().window_buffers, (std::vector<Index>{x, y}));
}

TEST_F(Blockers, AsynchronousAndNcclMemoryCanBeWindows) {
  builder.program().buffers[x].kind = BufferKind::DeviceAsync;
  builder.program().buffers[y].kind = BufferKind::NcclMemory;
  builder.all_reduce(x, y, s);
  EXPECT_TRUE(of_site().empty());
}

TEST_F(Blockers, MemoryThatCannotBeAWindow) {
  for (BufferKind kind : {BufferKind::Managed, BufferKind::PinnedHost, BufferKind::Host, BufferKind::Symbol}) {
    ProgramBuilder fresh;
    Index buffer = fresh.buffer("odd", kind);
    fresh.all_reduce(buffer, buffer, fresh.stream("s"));
    std::vector<std::string> found = build_comm_graph(fresh.program()).sites[0].staging;
    ASSERT_EQ(found.size(), 1u) << name_of(kind);
    EXPECT_NE(found[0].find("`odd` is "), std::string::npos) << found[0];
    EXPECT_NE(found[0].find("cannot be a window"), std::string::npos) << found[0];
  }
}

TEST_F(Blockers, MemoryFromCodeOutOfSight) {
  builder.program().buffers[x].kind = BufferKind::External;
  builder.all_reduce(x, y, s);
  expect_only("`x` comes from code that cannot be seen");
}

TEST_F(Blockers, OperandWithoutABuffer) {
  builder.send({kNone, {}, {}, Access::Read, "p"}, "1", s);
  builder.recv(builder.whole(x, Access::Write), "1", s);
  EXPECT_EQ(of_site(0), (std::vector<std::string>{"an operand could not be traced to an allocation"}));
}

TEST_F(Blockers, ReductionOfTheUsersOwn) {
  model::CommunicateDetail& reduced = detail(builder.all_reduce(x, y, s));
  reduced.reduction = "scaled_sum", reduced.makes_reduction = true;
  expect_only("`scaled_sum`");
}

TEST_F(Blockers, ReductionThatIsChosenAtRunTimeIsNone) {
  detail(builder.all_reduce(x, y, s)).reduction = "op";
  EXPECT_TRUE(of_site().empty());
}

TEST_F(Blockers, BuiltInReductionIsNone) {
  detail(builder.all_reduce(x, y, s)).reduction = "ncclAvg";
  EXPECT_TRUE(of_site().empty());
}

TEST_F(Blockers, ElementTypeThatIsChosenAtRunTimeIsNone) {
  detail(builder.all_reduce(x, y, s)).element_bytes = 0;
  EXPECT_TRUE(of_site().empty());
}

TEST_F(Blockers, CommunicatorOutOfSight) {
  builder.all_reduce(x, y, s);
  builder.program().communicators[0].origin = CommunicatorOrigin::External;
  expect_only("communicator `world` comes from code that cannot be seen");
}

TEST_F(Blockers, CallFromAMacrosBody) {
  builder.operation_at(builder.all_reduce(x, y, s)).text.editable = false;
  expect_only("put together by macros");
}

TEST_F(Blockers, AllocationFromAMacrosBody) {
  builder.all_reduce(x, y, s);
  builder.program().buffers[x].allocation.editable = false;
  expect_only("`x` is allocated in the body of a macro");
}

TEST_F(Blockers, BufferOfUnknownSize) {
  builder.all_reduce(x, y, s);
  builder.program().buffers[y].bytes_text.clear();
  expect_only("size of `y`");
}

TEST_F(Blockers, CallOutsideTheRegion) {
  Index start = builder.event("start");
  Index stop = builder.event("stop");
  builder.all_reduce(x, y, s);
  builder.record(start, s);
  builder.all_reduce(x, y, s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  EXPECT_NE(of_site(0).at(0).find("outside the timed region"), std::string::npos);
  EXPECT_TRUE(of_site(1).empty());
}

TEST_F(Blockers, CallInsideACapture) {
  builder.call(OperationKind::GraphCapture, "cudaStreamBeginCapture");
  builder.all_reduce(x, y, s);
  builder.call(OperationKind::GraphCapture, "cudaStreamEndCapture");
  builder.all_reduce(x, y, s);
  EXPECT_NE(of_site(0).at(0).find("CUDA graph"), std::string::npos);
  EXPECT_TRUE(of_site(1).empty());
}

TEST_F(Blockers, CaptureThatAnOptionAsksForIsNone) {
  builder.when("graphs > 0", [&] { builder.call(OperationKind::GraphCapture, "cudaStreamBeginCapture"); });
  builder.all_reduce(x, y, s);
  builder.when("graphs > 0", [&] { builder.call(OperationKind::GraphCapture, "cudaStreamEndCapture"); });
  builder.when("graphs > 0", [&] {
    builder.call(OperationKind::GraphCapture, "cudaStreamBeginCapture");
    builder.all_reduce(x, y, s);
    builder.call(OperationKind::GraphCapture, "cudaStreamEndCapture");
  });
  EXPECT_TRUE(of_site(0).empty());
  EXPECT_NE(of_site(1).at(0).find("CUDA graph"), std::string::npos);
}

TEST_F(Blockers, AllocationInsideTheRegion) {
  Index start = builder.event("start"), stop = builder.event("stop");
  builder.record(start, s);
  builder.allocate(x);
  builder.all_reduce(x, y, s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  expect_only("`x` is allocated inside the timed region");
}

// A region that nothing marks is taken without it.
TEST_F(Blockers, AllocationIsOutsideAGuessedRegion) {
  builder.launch("first", s, {});
  builder.allocate(x);
  builder.all_reduce(x, y, s);
  EXPECT_TRUE(of_site().empty());
}

// for (p : {&x, &y}) cudaMalloc(p, ...): one call, which remembers the buffer it made last.
TEST_F(Blockers, AllocationOfSeveralBuffersByOneCallInsideTheRegion) {
  Index start = builder.event("start"), stop = builder.event("stop");
  builder.record(start, s);
  Index allocation = builder.allocate(y);
  builder.program().buffers[x].allocation = builder.operation_at(allocation).range;
  builder.all_reduce(x, x, s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  expect_only("`x` is allocated inside the timed region");
}

TEST_F(Blockers, AllocationInsideTheLoopOfTheCall) {
  Index start = builder.event("start");
  Index stop = builder.event("stop");
  builder.loop("i", 2, [&](uint32_t) {
    builder.allocate(x);
    builder.record(start, s);
    builder.all_reduce(x, y, s);
    builder.record(stop, s);
    builder.elapsed(start, stop);
  });
  expect_only("`x` is allocated anew in every iteration of the loop at program.cu:");
}

TEST_F(Blockers, AllocationInAnotherLoopIsNone) {
  builder.loop("i", 1, [&](uint32_t) { builder.allocate(x); });
  builder.loop("j", 2, [&](uint32_t) { builder.all_reduce(x, y, s); });
  EXPECT_TRUE(of_site().empty());
}

TEST_F(Blockers, AllocationOnSomeRanks) {
  builder.call(OperationKind::CommInit, "ncclCommInitRank");
  builder.when("rank == 0", [&] { builder.allocate(x); });
  builder.all_reduce(x, y, s);
  expect_only("`x` is allocated only where `rank == 0` holds");
}

TEST_F(Blockers, AllocationWhereTheCommunicatorIsMadeIsNone) {
  builder.when("devices > 1", [&] {
    builder.call(OperationKind::CommInit, "ncclCommInitRank");
    builder.allocate(x);
    builder.all_reduce(x, y, s);
  });
  EXPECT_TRUE(of_site().empty());
}

TEST_F(Blockers, SendWithoutAnyReceive) {
  builder.send(builder.whole(x, Access::Read), "1", s);
  expect_only("no ncclRecv on its communicator is in sight");
}

TEST_F(Blockers, SendWhoseReceiveIsStagedIsStagedToo) {
  builder.program().buffers[y].kind = BufferKind::Managed;
  builder.group_start();
  builder.send(builder.whole(x, Access::Read), "next", s);
  builder.recv(builder.whole(y, Access::Write), "previous", s);
  builder.group_end();
  expect_only("its messages are cut like those of s2");
}

TEST_F(Blockers, WindowsIncludeBothHalvesOfADoubleBuffer) {
  Index kv[] = {x, y};
  builder.loop("i", 2, [&](uint32_t i) {
    builder.group_start();
    builder.send(builder.whole(kv[i], Access::Read), "next", s);
    builder.recv(builder.whole(kv[1 - i], Access::Write), "previous", s);
    builder.group_end();
  });
  EXPECT_EQ(graph().window_buffers, (std::vector<Index>{x, y}));
}

}  // namespace
}  // namespace cuco::model
