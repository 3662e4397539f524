#include "model/ordering.h"

#include <gtest/gtest.h>

#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::ProgramBuilder;
using testing::reads_from;
using testing::writes_to;

// Two launches, with the body in between; whether the first is complete before the second starts.
struct TwoLaunches {
  ProgramBuilder builder;
  Index buffer = builder.buffer("x");
  Index event = builder.event("ready");

  bool ordered(
      Index first, Index second, const std::function<void()>& between = [] {}) {
    Index from = static_cast<Index>(builder.program().steps.size());
    builder.launch("produce", first, {writes_to(buffer)});
    between();
    Index to = static_cast<Index>(builder.program().steps.size());
    builder.launch("consume", second, {reads_from(buffer)});
    return StepOrder(builder.program()).happens_before(from, to);
  }
};

TEST(StepOrder, OneStreamRunsInProgramOrder) {
  TwoLaunches launches;
  Index stream = launches.builder.stream("s");
  EXPECT_TRUE(launches.ordered(stream, stream));
}

TEST(StepOrder, TwoStreamsAreNotOrderedByThemselves) {
  TwoLaunches launches;
  Index a = launches.builder.stream("a", StreamKind::Blocking);
  Index b = launches.builder.stream("b", StreamKind::Blocking);
  EXPECT_FALSE(launches.ordered(a, b));
}

TEST(StepOrder, EventOrdersTwoStreams) {
  TwoLaunches launches;
  ProgramBuilder& builder = launches.builder;
  Index a = builder.stream("a");
  Index b = builder.stream("b");
  auto between = [&] {
    builder.record(launches.event, a);
    builder.wait(b, launches.event);
  };
  EXPECT_TRUE(launches.ordered(a, b, between));
}

TEST(StepOrder, WaitBeforeTheRecordOrdersNothing) {
  TwoLaunches launches;
  ProgramBuilder& builder = launches.builder;
  Index a = builder.stream("a");
  Index b = builder.stream("b");
  auto between = [&] {
    builder.wait(b, launches.event);
    builder.record(launches.event, a);
  };
  EXPECT_FALSE(launches.ordered(a, b, between));
}

TEST(StepOrder, LatestRecordOfAnEventCounts) {
  TwoLaunches launches;
  ProgramBuilder& builder = launches.builder;
  Index a = builder.stream("a");
  Index b = builder.stream("b");
  auto between = [&] {
    builder.record(launches.event, a);
    builder.record(launches.event, builder.stream("c"));
    builder.wait(b, launches.event);
  };
  EXPECT_FALSE(launches.ordered(a, b, between));
}

TEST(StepOrder, EventsAreTransitiveThroughAThirdStream) {
  TwoLaunches launches;
  ProgramBuilder& builder = launches.builder;
  Index a = builder.stream("a");
  Index b = builder.stream("b");
  Index c = builder.stream("c");
  Index relayed = builder.event("relayed");
  auto between = [&] {
    builder.record(launches.event, a);
    builder.wait(b, launches.event);
    builder.record(relayed, b);
    builder.wait(c, relayed);
  };
  EXPECT_TRUE(launches.ordered(a, c, between));
}

TEST(StepOrder, HostSynchronisationOrdersWhatItWaitsFor) {
  for (int scope = 0; scope < 3; ++scope) {
    TwoLaunches launches;
    ProgramBuilder& builder = launches.builder;
    Index a = builder.stream("a");
    Index b = builder.stream("b");
    auto between = [&] {
      builder.record(launches.event, a);
      if (scope == 0) builder.sync_device();
      if (scope == 1) builder.sync_stream(a);
      if (scope == 2) builder.sync_event(launches.event);
    };
    EXPECT_TRUE(launches.ordered(a, b, between)) << scope;
  }
}

TEST(StepOrder, SynchronisingAnotherStreamOrdersNothing) {
  TwoLaunches launches;
  ProgramBuilder& builder = launches.builder;
  Index a = builder.stream("a");
  Index b = builder.stream("b");
  auto between = [&] { builder.sync_stream(b); };
  EXPECT_FALSE(launches.ordered(a, b, between));
}

TEST(StepOrder, SynchronisingTheLegacyStreamWaitsForBlockingStreamsOnly) {
  for (StreamKind kind : {StreamKind::Blocking, StreamKind::NonBlocking}) {
    TwoLaunches launches;
    ProgramBuilder& builder = launches.builder;
    Index legacy = builder.stream("0", StreamKind::Legacy);
    auto between = [&] { builder.sync_stream(legacy); };
    bool ordered = launches.ordered(builder.stream("a", kind), builder.stream("b"), between);
    EXPECT_EQ(ordered, kind == StreamKind::Blocking);
  }
}

TEST(StepOrder, LegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  for (StreamKind kind : {StreamKind::Blocking, StreamKind::PerThread, StreamKind::External}) {
    TwoLaunches into, out_of;
    Index legacy = into.builder.stream("0", StreamKind::Legacy);
    EXPECT_TRUE(into.ordered(into.builder.stream("s", kind), legacy));
    legacy = out_of.builder.stream("0", StreamKind::Legacy);
    EXPECT_TRUE(out_of.ordered(legacy, out_of.builder.stream("s", kind)));
  }
}

TEST(StepOrder, LegacyStreamAndNonBlockingStreamIgnoreEachOther) {
  TwoLaunches into, out_of;
  Index legacy = into.builder.stream("0", StreamKind::Legacy);
  EXPECT_FALSE(into.ordered(into.builder.stream("s", StreamKind::NonBlocking), legacy));
  legacy = out_of.builder.stream("0", StreamKind::Legacy);
  EXPECT_FALSE(out_of.ordered(legacy, out_of.builder.stream("s", StreamKind::NonBlocking)));
}

TEST(StepOrder, LegacyWorkBetweenTwoBlockingStreamsOrdersThem) {
  TwoLaunches launches;
  ProgramBuilder& builder = launches.builder;
  Index legacy = builder.stream("0", StreamKind::Legacy);
  Index a = builder.stream("a", StreamKind::Blocking);
  Index b = builder.stream("b", StreamKind::Blocking);
  Index other = builder.buffer("other");
  auto between = [&] { builder.launch("between", legacy, {writes_to(other)}); };
  EXPECT_TRUE(launches.ordered(a, b, between));
}

TEST(StepOrder, WorkWithoutAStreamRunsOnTheLegacyStream) {
  TwoLaunches launches;
  EXPECT_TRUE(launches.ordered(launches.builder.stream("s", StreamKind::Blocking), kNone));
}

TEST(StepOrder, BlockingCopyOrdersItsOwnStreamOnly) {
  for (bool same_stream : {true, false}) {
    TwoLaunches launches;
    ProgramBuilder& builder = launches.builder;
    Index a = builder.stream("a");
    Index copying = same_stream ? a : builder.stream("c");
    Index host = builder.buffer("host", BufferKind::Host);
    auto copy = [&] { builder.copy(CopyKind::HostToDevice, copying, {reads_from(host)}, true); };
    EXPECT_EQ(launches.ordered(a, builder.stream("b"), copy), same_stream);
  }
}

TEST(StepOrder, AsynchronousCopyDoesNotHoldTheHost) {
  TwoLaunches launches;
  ProgramBuilder& builder = launches.builder;
  Index a = builder.stream("a");
  Index host = builder.buffer("host", BufferKind::Host);
  auto copy = [&] { builder.copy(CopyKind::HostToDevice, a, {reads_from(host)}); };
  EXPECT_FALSE(launches.ordered(a, builder.stream("b"), copy));
}

struct GroupedPair {
  ProgramBuilder builder;
  Index x = builder.buffer("x");
  Index y = builder.buffer("y");
  Index comm = builder.stream("comm");

  Region sent() const { return builder.whole(x, Access::Read); }
  Region received() const { return builder.whole(y, Access::Write); }
};

TEST(StepOrder, MembersOfAGroupRunTogether) {
  GroupedPair pair;
  pair.builder.group_start();
  pair.builder.send(pair.sent(), "next", pair.comm);
  pair.builder.recv(pair.received(), "previous", pair.comm);
  pair.builder.group_end();
  EXPECT_FALSE(StepOrder(pair.builder.program()).happens_before(1, 2));
  EXPECT_EQ(find_exchanges(pair.builder.program()), (std::vector<Index>{0, 1, 1, 3}));
}

TEST(StepOrder, WithoutAGroupTheStreamOrdersThem) {
  GroupedPair pair;
  pair.builder.send(pair.sent(), "next", pair.comm);
  pair.builder.recv(pair.received(), "previous", pair.comm);
  EXPECT_TRUE(StepOrder(pair.builder.program()).happens_before(0, 1));
}

TEST(StepOrder, GroupIsIssuedAtItsEnd) {
  GroupedPair pair;
  Index compute = pair.builder.stream("compute");
  Index ready = pair.builder.event("ready");
  pair.builder.launch("produce", compute, {writes_to(pair.x)});
  pair.builder.group_start();
  pair.builder.send(pair.sent(), "next", pair.comm);
  pair.builder.record(ready, compute);
  pair.builder.wait(pair.comm, ready);
  pair.builder.group_end();
  EXPECT_TRUE(StepOrder(pair.builder.program()).happens_before(0, 2));
}

TEST(StepOrder, GroupMakesAllItsStreamsWait) {
  GroupedPair pair;
  Index other = pair.builder.stream("other");
  pair.builder.launch("produce", other, {writes_to(pair.x)});
  pair.builder.group_start();
  pair.builder.send(pair.sent(), "next", pair.comm);
  pair.builder.recv(pair.received(), "previous", other);
  pair.builder.group_end();
  pair.builder.launch("consume", other, {writes_to(pair.x)});
  StepOrder order(pair.builder.program());
  EXPECT_TRUE(order.happens_before(0, 2));
  EXPECT_TRUE(order.happens_before(2, 5));
}

TEST(StepOrder, NestedGroupIsIssuedAtTheOuterEnd) {
  GroupedPair pair;
  pair.builder.group_start();
  pair.builder.group_start();
  pair.builder.send(pair.sent(), "next", pair.comm);
  pair.builder.group_end();
  pair.builder.recv(pair.received(), "previous", pair.comm);
  pair.builder.group_end();
  EXPECT_FALSE(StepOrder(pair.builder.program()).happens_before(2, 4));
}

TEST(StepOrder, MpiCallIsOrderedAfterASynchronisedCopyOnly) {
  for (bool synchronised : {true, false}) {
    ProgramBuilder builder;
    Index host = builder.buffer("host", BufferKind::PinnedHost);
    Index stream = builder.stream("s");
    builder.copy(CopyKind::DeviceToHost, stream, {writes_to(host)});
    if (synchronised) builder.sync_stream(stream);
    Index to = static_cast<Index>(builder.program().steps.size());
    builder.call(OperationKind::Mpi, "MPI_Send", {reads_from(host)});
    EXPECT_EQ(StepOrder(builder.program()).happens_before(0, to), synchronised);
  }
}

}  // namespace
}  // namespace cuco::model
