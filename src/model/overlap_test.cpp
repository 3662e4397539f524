#include "model/overlap.h"

#include <gtest/gtest.h>

#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::bytes_of;
using testing::pointer;
using testing::ProgramBuilder;
using testing::reads_from;
using testing::stretch;
using testing::writes_to;

struct Overlaps : public ::testing::Test {
  ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
  Index y = builder.buffer("y");

  // "callee" of what may overlap the site, with " a" when assumed and " o" when of another iteration.
  std::vector<std::string> of_site(size_t index = 0) {
    std::vector<std::string> texts;
    CommGraph graph = build_comm_graph(builder.program());
    for (const Overlap& overlap : graph.sites.at(index).overlaps)
      texts.push_back(builder.operation_at(overlap.operation).callee + (overlap.assumed ? " a" : "") +
                      (overlap.other_iteration ? " o" : ""));
    return texts;
  }
};

using Texts = std::vector<std::string>;

TEST_F(Overlaps, ProducerAndConsumerAreNone) {
  builder.launch("produce", s, {writes_to(x)});
  builder.all_reduce(x, y, s);
  builder.launch("consume", s, {reads_from(y)});
  EXPECT_EQ(of_site(), Texts{});
}

TEST_F(Overlaps, UnrelatedWorkIsOneEvenOnTheSameStream) {
  Index z = builder.buffer("z");
  builder.all_reduce(x, y, s);
  builder.launch("other", s, {writes_to(z)});
  EXPECT_EQ(of_site(), (Texts{"other"}));
}

TEST_F(Overlaps, ChainThroughOtherBuffersIsFollowed) {
  Index z = builder.buffer("z");
  builder.all_reduce(x, y, s);
  builder.launch("first", s, {reads_from(y), writes_to(z)});
  builder.launch("second", s, {reads_from(z)});
  EXPECT_EQ(of_site(), Texts{});
}

TEST_F(Overlaps, SecondReaderOfWhatIsSentIsOne) {
  builder.launch("produce", s, {writes_to(x)});
  builder.all_reduce(x, y, s);
  builder.launch("reader", s, {reads_from(x)});
  EXPECT_EQ(of_site(), (Texts{"reader"}));
}

TEST_F(Overlaps, WriterOfWhatIsSentIsNone) {
  builder.all_reduce(x, y, s);
  builder.launch("writer", s, {writes_to(x)});
  EXPECT_EQ(of_site(), Texts{});
}

// Each step works on one buffer while the exchange fills the other:
//   attend(kv[i % 2])   send kv[i % 2]   recv kv[(i + 1) % 2]
struct Ring : public Overlaps {
  void run(bool double_buffered) {
    Index kv[] = {x, double_buffered ? y : x};
    Index out = builder.buffer("out");
    builder.loop("step", 3, [&](uint32_t step) {
      builder.launch("attend", s, {reads_from(kv[step % 2]), pointer(out, Access::ReadWrite)});
      builder.group_start();
      builder.send(builder.whole(kv[step % 2], Access::Read), "next", s);
      builder.recv(builder.whole(kv[(step + 1) % 2], Access::Write), "previous", s);
      builder.group_end();
    });
  }
};

TEST_F(Ring, DoubleBufferFreesTheComputeOfTheSameStep) {
  run(true);
  EXPECT_EQ(of_site(0), (Texts{"attend"}));
  EXPECT_EQ(of_site(1), (Texts{"attend"}));
}

// The exchange of the last iteration that is run feeds nothing in sight, those before it feed `normalise` through
// `out`.
TEST_F(Ring, WorkAfterTheLoopThatWaitsForItsResultIsNone) {
  run(true);
  builder.launch("normalise", s, {pointer(2, Access::ReadWrite)});
  EXPECT_EQ(of_site(0), (Texts{"attend"}));
}

TEST_F(Ring, SingleBufferTiesItToTheReceive) {
  run(false);
  EXPECT_EQ(of_site(0), Texts{});
  EXPECT_EQ(of_site(1), Texts{});
}

TEST_F(Overlaps, NextChunksComputeIsOneOfANeighbouringIterationIfItKeepsToItsSlice) {
  builder.loop("c", 3, [&](uint32_t c) {
    builder.launch("gemm", s, {writes_to(x, bytes_of(1024 * c))});
    builder.send(stretch(x, Access::Read, bytes_of(1024 * c), bytes_of(1024)), "next", s);
  });
  EXPECT_EQ(of_site(), (Texts{"gemm a o"}));
}

TEST_F(Overlaps, ComputeOfOtherChunksInALoopOfItsOwnIsOneIfItKeepsToItsSlice) {
  builder.loop("c", 3, [&](uint32_t c) { builder.launch("gemm", s, {writes_to(x, bytes_of(1024 * c))}); });
  builder.loop("c", 3, [&](uint32_t c) {
    builder.send(stretch(x, Access::Read, bytes_of(1024 * c), bytes_of(1024)), "next", s);
  });
  EXPECT_EQ(of_site(), (Texts{"gemm a"}));
}

TEST_F(Overlaps, CopyOfTheNextKnownChunkNeedsNoAssumption) {
  builder.launch("first", s, {reads_from(y)});
  builder.loop("c", 3, [&](uint32_t c) {
    builder.copy(CopyKind::HostToDevice, s, {stretch(x, Access::Write, bytes_of(1024 * c), bytes_of(1024))});
    builder.send(stretch(x, Access::Read, bytes_of(1024 * c), bytes_of(1024)), "next", s);
  });
  EXPECT_EQ(of_site(), (Texts{"first", "cudaMemcpyAsync o"}));
}

TEST_F(Overlaps, WholeBufferReusedInTheNextIterationIsNone) {
  builder.loop("c", 3, [&](uint32_t) {
    builder.launch("gemm", s, {writes_to(x)});
    builder.send(builder.whole(x, Access::Read), "next", s);
  });
  EXPECT_EQ(of_site(), Texts{});
}

TEST_F(Overlaps, MembersOfOneGroupAreOneExchange) {
  Index z = builder.buffer("z");
  builder.group_start();
  builder.send(builder.whole(x, Access::Read), "next", s);
  builder.recv(builder.whole(y, Access::Write), "previous", s);
  builder.group_end();
  builder.launch("consume", s, {reads_from(y)});
  builder.all_reduce(z, z, s);
  // The send alone does not feed `consume`, but it completes together with the receive that does.
  EXPECT_EQ(of_site(0), (Texts{"ncclAllReduce"}));
}

TEST_F(Overlaps, LaunchOfAnUnknownKernelIsNone) {
  builder.all_reduce(x, y, s);
  builder.launch("who_knows", s, {});
  EXPECT_EQ(of_site(), Texts{});
}

TEST_F(Overlaps, WhatOnlySomeIterationsAllowIsNone) {
  builder.loop("i", 3, [&](uint32_t i) {
    builder.all_reduce(x, x, s);
    builder.launch("odd", s, {writes_to(i % 2 == 0 ? y : x)});
  });
  EXPECT_EQ(of_site(), Texts{});
}

TEST_F(Overlaps, OtherSideOfTheBranchIsNone) {
  builder.when("rank == 0", [&] { builder.send(builder.whole(x, Access::Read), "1", s); });
  builder.when("!(rank == 0)", [&] { builder.launch("other", s, {writes_to(y)}); });
  EXPECT_EQ(of_site(), Texts{});
}

TEST_F(Overlaps, WorkOutsideTheRegionIsNone) {
  Index start = builder.event("start");
  Index stop = builder.event("stop");
  builder.launch("warm", s, {writes_to(y)});
  builder.record(start, s);
  builder.send(builder.whole(x, Access::Read), "1", s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  EXPECT_EQ(of_site(), Texts{});
}

}  // namespace
}  // namespace cuco::model
