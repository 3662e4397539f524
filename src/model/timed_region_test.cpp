#include "model/timed_region.h"

#include <gtest/gtest.h>

#include "testing/program_builder.h"

namespace cuco::model {
namespace {

using testing::ProgramBuilder;
using testing::reads_from;
using testing::writes_to;

struct TimedRegions : public ::testing::Test {
  ProgramBuilder builder;
  Index s = builder.stream("s");
  Index x = builder.buffer("x");
  Index y = builder.buffer("y");
  Index host = builder.buffer("host", BufferKind::Host);
  Index start = builder.event("start");
  Index stop = builder.event("stop");

  Index next_step() { return static_cast<Index>(builder.program().steps.size()); }

  void read_clock() { builder.call(OperationKind::ClockRead, "MPI_Wtime"); }

  void copy_back(Index from) { builder.copy(CopyKind::DeviceToHost, s, {reads_from(from), writes_to(host)}, true); }

  std::vector<Index> outputs() {
    builder.program().timed_region = find_timed_region(builder.program());
    std::vector<Index> buffers;
    for (const Output& output : find_outputs(builder.program())) buffers.push_back(output.buffer);
    return buffers;
  }
};

TEST_F(TimedRegions, EventsWhoseTimeIsReadBoundIt) {
  builder.launch("warm", s, {});
  Index first = next_step();
  builder.record(start, s);
  builder.all_reduce(x, y, s);
  Index last = next_step();
  builder.record(stop, s);
  builder.elapsed(start, stop);
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::Events);
  EXPECT_EQ(region.first_step, first);
  EXPECT_EQ(region.last_step, last);
}

TEST_F(TimedRegions, EventsWhoseTimeIsNotReadDoNot) {
  builder.launch("first", s, {});
  builder.record(start, s);
  builder.all_reduce(x, y, s);
  builder.record(stop, s);
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::FirstToLast);
  EXPECT_EQ(region.first_step, 0u);
  EXPECT_EQ(region.last_step, 2u);
}

TEST_F(TimedRegions, OutermostPairWins) {
  Index inner_start = builder.event("inner_start");
  Index inner_stop = builder.event("inner_stop");
  builder.record(start, s);
  builder.record(inner_start, s);
  builder.all_reduce(x, y, s);
  builder.record(inner_stop, s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  builder.elapsed(inner_start, inner_stop);
  EXPECT_EQ(find_timed_region(builder.program()).first_step, 0u);
}

TEST_F(TimedRegions, PairWithoutCommunicationYieldsToOneWithIt) {
  Index other_start = builder.event("other_start");
  Index other_stop = builder.event("other_stop");
  builder.record(start, s);
  builder.all_reduce(x, y, s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  builder.record(other_start, s);
  builder.launch("alone", s, {});
  builder.record(other_stop, s);
  builder.elapsed(other_start, other_stop);
  EXPECT_EQ(find_timed_region(builder.program()).first_step, 0u);
}

TEST_F(TimedRegions, LastOfSeveralPairsWins) {
  Index last = 0;
  for (int i = 0; i < 2; ++i) {
    last = next_step();
    builder.record(start, s);
    builder.all_reduce(x, y, s);
    builder.record(stop, s);
    builder.elapsed(start, stop);
  }
  EXPECT_EQ(find_timed_region(builder.program()).first_step, last);
}

TEST_F(TimedRegions, ReadsOfAClockBoundIt) {
  builder.all_reduce(x, y, s);
  Index first = next_step();
  read_clock();
  builder.loop("i", 3, [&](uint32_t) { builder.all_reduce(y, x, s); });
  Index last = next_step();
  builder.call(OperationKind::ClockRead, "gettimeofday");
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::Clock);
  EXPECT_EQ(region.first_step, first);
  EXPECT_EQ(region.last_step, last);
}

TEST_F(TimedRegions, ReadsOfAClockInsideOfOthersAreNoEnds) {
  read_clock();
  builder.loop("i", 3, [&](uint32_t) {
    builder.call(OperationKind::ClockRead, "MPI_Wtime");
    builder.all_reduce(x, y, s);
    builder.call(OperationKind::ClockRead, "MPI_Wtime");
  });
  builder.call(OperationKind::ClockRead, "gettimeofday");
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.first_step, 0u);
  EXPECT_EQ(region.last_step, next_step() - 1);
}

TEST_F(TimedRegions, EventsComeBeforeClocks) {
  read_clock();
  builder.record(start, s);
  builder.all_reduce(x, y, s);
  builder.record(stop, s);
  builder.elapsed(start, stop);
  builder.call(OperationKind::ClockRead, "gettimeofday");
  EXPECT_EQ(find_timed_region(builder.program()).basis, RegionBasis::Events);
}

TEST_F(TimedRegions, ClockThatIsReadAroundSetUpBoundsNothing) {
  read_clock();
  builder.allocate(x);
  builder.all_reduce(x, y, s);
  builder.call(OperationKind::ClockRead, "gettimeofday");
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::FirstToLast);
  EXPECT_EQ(region.first_step, 2u);
  EXPECT_EQ(region.last_step, 2u);
}

TEST_F(TimedRegions, ClockReadBehindAWarmUpTakesTheLoopIn) {
  builder.launch("before", s, {});
  builder.loop("i", 3, [&](uint32_t i) {
    if (i == 1) builder.when("i == warm_up", [&] { read_clock(); });
    builder.all_reduce(x, y, s);
  });
  builder.call(OperationKind::ClockRead, "gettimeofday");
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::Clock);
  EXPECT_EQ(region.first_step, 1u);
  EXPECT_EQ(region.loop, kNone);
}

TEST_F(TimedRegions, RangeOfNvtxThatComputesAndCommunicatesIsOne) {
  builder.launch("before", s, {});
  builder.call(OperationKind::RangeBegin, "nvtxRangePushA");
  builder.launch("work", s, {});
  builder.all_reduce(x, y, s);
  builder.call(OperationKind::RangeEnd, "nvtxRangePop");
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::Ranges);
  EXPECT_EQ(region.first_step, 2u);
  EXPECT_EQ(region.last_step, 3u);
}

TEST_F(TimedRegions, RangeAroundCommunicationAloneIsNone) {
  builder.launch("work", s, {});
  builder.call(OperationKind::RangeBegin, "nvtxRangePushA");
  builder.all_reduce(x, y, s);
  builder.call(OperationKind::RangeEnd, "nvtxRangePop");
  EXPECT_EQ(find_timed_region(builder.program()).basis, RegionBasis::FirstToLast);
}

TEST_F(TimedRegions, OutermostLoopAroundTheCommunicationIsGuessed) {
  builder.launch("fill", s, {});
  Index first = next_step();
  builder.loop("step", 2, [&](uint32_t) {
    builder.loop("layer", 2, [&](uint32_t) {
      builder.launch("work", s, {});
      builder.all_reduce(x, y, s);
    });
  });
  Index last = next_step() - 1;
  builder.launch("check", s, {});
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::Loop);
  EXPECT_EQ(region.first_step, first);
  EXPECT_EQ(region.last_step, last);
}

TEST_F(TimedRegions, LoopOverPeersInsideOfAGroupIsNoRegion) {
  builder.launch("pack", s, {});
  builder.group_start();
  builder.loop("peer", 2, [&](uint32_t) { builder.send(builder.whole(x, Access::Read), "peer", s); });
  builder.group_end();
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::FirstToLast);
  EXPECT_EQ(region.first_step, 0u);
  EXPECT_EQ(region.last_step, next_step() - 1) << "the group's end is in it";
}

TEST_F(TimedRegions, LoopsOfSendersAndOfReceiversAreOneRegion) {
  builder.when("rank == 0", [&] {
    builder.loop("layer", 2, [&](uint32_t) { builder.send(builder.whole(x, Access::Read), "1", s); });
  });
  builder.when("!(rank == 0)", [&] {
    builder.loop("layer", 2, [&](uint32_t) { builder.recv(builder.whole(y, Access::Write), "0", s); });
  });
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::FirstToLast);
  EXPECT_EQ(region.first_step, 0u);
  EXPECT_EQ(region.last_step, 3u);
}

TEST_F(TimedRegions, SetUpInALoopNarrowsTheGuess) {
  builder.loop("size", 3, [&](uint32_t) {
    builder.allocate(x);
    builder.launch("work", s, {});
    builder.all_reduce(x, y, s);
    builder.call(OperationKind::Free, "cudaFree");
  });
  TimedRegion region = find_timed_region(builder.program());
  EXPECT_EQ(region.basis, RegionBasis::FirstToLast);
  EXPECT_EQ(region.last_step - region.first_step, 1u);
  EXPECT_NE(region.loop, kNone);
}

TEST_F(TimedRegions, ProgramWithoutWorkHasNone) {
  builder.record(start, s);
  EXPECT_EQ(find_timed_region(builder.program()).basis, RegionBasis::None);
  EXPECT_TRUE(outputs().empty());
}

TEST_F(TimedRegions, OutputsAreCopiedBackAfterIt) {
  copy_back(y);
  builder.launch("work", s, {writes_to(x)});
  copy_back(x);
  EXPECT_EQ(outputs(), (std::vector<Index>{x}));
}

TEST_F(TimedRegions, LastCopyInsideCountsWhenNoneFollows) {
  builder.launch("work", s, {writes_to(x)});
  copy_back(y);
  copy_back(x);
  builder.launch("last", s, {});
  EXPECT_EQ(outputs(), (std::vector<Index>{x}));
}

TEST_F(TimedRegions, CopyToTheDeviceIsNoOutput) {
  builder.launch("work", s, {writes_to(x)});
  builder.copy(CopyKind::HostToDevice, s, {reads_from(host), writes_to(x)});
  EXPECT_TRUE(outputs().empty());
}

TEST_F(TimedRegions, CopyOfUnknownDirectionCountsByItsTarget) {
  builder.launch("work", s, {writes_to(x)});
  builder.copy(CopyKind::Unknown, s, {reads_from(x), writes_to(host)});
  builder.copy(CopyKind::Unknown, s, {reads_from(host), writes_to(y)});
  EXPECT_EQ(outputs(), (std::vector<Index>{x}));
}

TEST_F(TimedRegions, LastCommunicationReceivesOutputsToo) {
  Index early = builder.buffer("early");
  builder.all_reduce(x, early, s);
  builder.group_start();
  builder.recv(builder.whole(x, Access::Write), "a", s);
  builder.recv(builder.whole(y, Access::Write), "b", s);
  builder.group_end();
  EXPECT_EQ(outputs(), (std::vector<Index>{x, y}));
}

}  // namespace
}  // namespace cuco::model
