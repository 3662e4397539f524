#include "model/sites.h"

#include <gtest/gtest.h>

#include "model/site_shape.h"
#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::bytes_of;
using testing::ProgramBuilder;
using testing::reads_from;
using testing::stretch;
using testing::writes_to;

struct Sites : public ::testing::Test {
  ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
  Index y = builder.buffer("y");

  CommGraph graph() { return build_comm_graph(builder.program()); }
  Region from_x() const { return builder.whole(x, Access::Read); }
  Region to_y() const { return builder.whole(y, Access::Write); }
  Region slice(Index buffer, Access access, uint32_t index) const {
    return stretch(buffer, access, bytes_of(1024 * index), bytes_of(1024));
  }
};

TEST_F(Sites, AreNamedInOrderOfExecution) {
  builder.all_reduce(x, y, s);
  builder.send(from_x(), "1", s);
  CommGraph found = graph();
  ASSERT_EQ(found.sites.size(), 2u);
  EXPECT_EQ(found.sites[0].name, "s1");
  EXPECT_EQ(found.sites[1].name, "s2");
}

TEST_F(Sites, CallReachedOverTwoPathsIsOneSite) {
  auto helper = [&] { builder.all_reduce(x, y, s); };
  builder.inside_call(helper);
  builder.inside_call(helper);
  CommGraph found = graph();
  ASSERT_EQ(found.sites.size(), 1u);
  EXPECT_EQ(found.sites[0].operations.size(), 2u);
}

TEST_F(Sites, CallInALoopIsOneSiteWithOneOperation) {
  builder.loop("i", 3, [&](uint32_t) { builder.all_reduce(x, y, s); });
  CommGraph found = graph();
  ASSERT_EQ(found.sites.size(), 1u);
  EXPECT_EQ(found.sites[0].operations.size(), 1u);
}

TEST_F(Sites, ProducersAndConsumersFollowTheData) {
  Index z = builder.buffer("z");
  builder.launch("produce", s, {writes_to(x)});
  builder.launch("unrelated", s, {writes_to(z)});
  builder.all_reduce(x, y, s);
  builder.launch("bystander", s, {reads_from(x)});
  builder.launch("consume", s, {reads_from(y)});
  CommGraph found = graph();
  const Site& site = found.sites[0];
  EXPECT_EQ(site.send_buffer, x);
  EXPECT_EQ(site.recv_buffer, y);
  ASSERT_EQ(site.producers.size(), 1u);
  ASSERT_EQ(site.consumers.size(), 1u);
  EXPECT_EQ(builder.operation_at(found.dependences[site.producers[0]].from).callee, "produce");
  EXPECT_EQ(builder.operation_at(found.dependences[site.consumers[0]].to).callee, "consume");
}

TEST_F(Sites, InPlaceCallIsFedAndFeedsThroughOneBuffer) {
  builder.launch("produce", s, {writes_to(x)});
  builder.all_reduce(x, x, s);
  builder.launch("consume", s, {reads_from(x)});
  CommGraph found = graph();
  const Site& site = found.sites[0];
  EXPECT_EQ(site.send_buffer, x);
  EXPECT_EQ(site.recv_buffer, x);
  EXPECT_EQ(site.producers.size(), 1u);
  EXPECT_EQ(site.consumers.size(), 1u);
}

TEST_F(Sites, PeerLoopIsRecognisedByThePeer) {
  builder.loop("p", 2, [&](uint32_t p) { builder.send(slice(x, Access::Read, p), "(rank + p) % size", s); });
  EXPECT_EQ(graph().sites[0].loop_role, LoopRole::Peers);
}

TEST_F(Sites, LongerNameThatHoldsTheInductionIsNotIt) {
  builder.loop("p", 2, [&](uint32_t) { builder.send(from_x(), "up", s); });
  EXPECT_EQ(graph().sites[0].loop_role, LoopRole::Iterations);
  EXPECT_TRUE(mentions_name("a[p]", "p"));
  EXPECT_FALSE(mentions_name("p2 + up", "p"));
}

TEST_F(Sites, PeerInAVariableIsRecognisedByTheLoopsCountInsideAGroup) {
  for (const std::string limit : {"size", "pieces"}) {
    builder = ProgramBuilder();
    Index stream = builder.stream("s");
    Index buffer = builder.buffer("x");
    builder.group_start();
    builder.loop(
        "i", 2, [&](uint32_t i) { builder.send(slice(buffer, Access::Read, i), "peer", stream); }, limit);
    builder.group_end();
    EXPECT_EQ(graph().sites[0].loop_role == LoopRole::Peers, limit == "size");
  }
}

TEST_F(Sites, LoopOverTimeAroundTheGroupIsNotOneOverPeers) {
  auto step = [&](uint32_t) {
    builder.group_start();
    builder.send(from_x(), "next", s);
    builder.group_end();
  };
  builder.loop("i", 2, step, "size");
  EXPECT_EQ(graph().sites[0].loop_role, LoopRole::Iterations);
}

TEST_F(Sites, ChunkLoopIsRecognisedByItsOffsets) {
  builder.loop("c", 3, [&](uint32_t c) { builder.send(slice(x, Access::Read, c), "next", s); });
  EXPECT_EQ(graph().sites[0].loop_role, LoopRole::Chunks);
}

TEST_F(Sites, AlternatingOffsetsAreADoubleBuffer) {
  builder.loop("c", 3, [&](uint32_t c) { builder.send(slice(x, Access::Read, c % 2), "next", s); });
  EXPECT_EQ(graph().sites[0].loop_role, LoopRole::Iterations);
}

TEST_F(Sites, TwoIterationsAreChunksOnlyWhenTheTextSaysSo) {
  auto run = [&](const std::string& through) {
    builder = ProgramBuilder();
    Index stream = builder.stream("s");
    Index buffer = builder.buffer("x");
    builder.loop("c", 2, [&](uint32_t c) {
      builder.send(stretch(buffer, Access::Read, bytes_of(1024 * c), bytes_of(1024), through), "next", stream);
    });
    return graph().sites[0].loop_role;
  };
  EXPECT_EQ(run("x + c * n"), LoopRole::Chunks);
  EXPECT_EQ(run("x + (c % 2) * n"), LoopRole::Iterations);
  EXPECT_EQ(run("current"), LoopRole::Iterations);
}

struct GroupPatterns : public Sites {
  using Body = std::function<void()>;

  GroupPattern pattern(const Body& body) {
    builder.group_start();
    body();
    builder.group_end();
    return graph().sites[0].group_pattern;
  }

  GroupPattern exchange(const std::string& to, const std::string& from) {
    return pattern([&] {
      builder.send(from_x(), to, s);
      builder.recv(to_y(), from, s);
    });
  }

  void peer_loop(bool sends, bool receives) {
    builder.loop("p", 2, [&](uint32_t p) {
      if (sends) builder.send(slice(x, Access::Read, p), "p", s);
      if (receives) builder.recv(slice(y, Access::Write, p), "p", s);
    });
  }
};

TEST_F(GroupPatterns, RingSendsOneWayAndReceivesFromTheOther) {
  EXPECT_EQ(exchange("(rank+1)%n", "(rank - 1 + n) % n"), GroupPattern::Ring);
}

TEST_F(GroupPatterns, RingMayNameItsNeighbours) { EXPECT_EQ(exchange("next", "prev"), GroupPattern::Ring); }

TEST_F(GroupPatterns, ChainWithoutWrapIsNoRing) { EXPECT_EQ(exchange("rank + 1", "rank - 1"), GroupPattern::Mixed); }

TEST_F(GroupPatterns, SamePeerBothWaysIsPairwise) { EXPECT_EQ(exchange("rank ^ 1", "rank^1"), GroupPattern::Pairwise); }

TEST_F(GroupPatterns, SendsAndReceivesOverPeersAreAllToAll) {
  EXPECT_EQ(pattern([&] { peer_loop(true, true); }), GroupPattern::AllToAll);
}

TEST_F(GroupPatterns, ReceivesOverPeersAreAGather) {
  GroupPattern found = pattern([&] {
    builder.when("rank == root", [&] { peer_loop(false, true); });
    builder.send(from_x(), "root", s);
  });
  EXPECT_EQ(found, GroupPattern::Gather);
}

TEST_F(GroupPatterns, SendsOverPeersAreAScatter) {
  EXPECT_EQ(pattern([&] { builder.when("rank == root", [&] { peer_loop(true, false); }); }), GroupPattern::Scatter);
}

TEST_F(GroupPatterns, TwoDirectionsAreMixed) {
  GroupPattern found = pattern([&] {
    builder.send(slice(x, Access::Read, 0), "left", s);
    builder.send(slice(x, Access::Read, 1), "right", s);
    builder.recv(slice(y, Access::Write, 0), "left", s);
    builder.recv(slice(y, Access::Write, 1), "right", s);
  });
  EXPECT_EQ(found, GroupPattern::Mixed);
}

TEST_F(GroupPatterns, CollectivesAloneHaveNone) {
  EXPECT_EQ(pattern([&] { builder.all_reduce(x, y, s); }), GroupPattern::None);
}

TEST_F(GroupPatterns, CallOutsideAGroupHasNone) {
  builder.send(from_x(), "next", s);
  EXPECT_EQ(graph().sites[0].group_pattern, GroupPattern::None);
}

}  // namespace
}  // namespace cuco::model
