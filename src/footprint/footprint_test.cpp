#include "footprint/footprint.h"

#include <gtest/gtest.h>

namespace cuco::footprint {

namespace {

using model::AccessTrace;
using model::TracedLaunch;
using model::TracedStep;

constexpr uint32_t kBuffer = 2;

// Block i writes `bytes` bytes from the i-th of the begins on.
TracedStep launch_writing(const std::vector<uint64_t>& begins, uint64_t bytes) {
  TracedStep step;
  step.place = "a.cu:7", step.is_launch = true;
  step.launch.kernel = "fill";
  step.launch.grid = {static_cast<uint32_t>(begins.size()), 1, 1};
  for (uint32_t i = 0; i < begins.size(); i++)
    step.launch.blocks.push_back({{i, 0, 0}, {{kBuffer, true, begins[i], bytes, bytes, 1, true}}, false, {}, {}});
  return step;
}

TracedStep sending(uint64_t offset, uint64_t bytes) {
  TracedStep step;
  step.place = "a.cu:9";
  step.call = {model::Collective::AllGather, bytes, -1, 0, 1, {true, kBuffer, offset}, {}, 4};
  return step;
}

AccessTrace trace_of(std::vector<TracedStep> steps) { return {{std::move(steps)}, {}}; }

TEST(Footprints, AreOfCommunicatedBuffersOnly) {
  AccessTrace trace = trace_of({launch_writing({0, 16}, 16), sending(0, 32)});
  EXPECT_EQ(communicated_buffers(trace), std::vector<uint32_t>{kBuffer});
  trace.ranks[0][1].call.send.used = false;
  EXPECT_TRUE(communicated_buffers(trace).empty());
}

TEST(Footprints, MemoryForWindowsIsCommunicated) {
  AccessTrace trace{{{}}, {{{64, "cudaMalloc"}, {64, "ncclMemAlloc at a.cu:3"}}}};
  EXPECT_EQ(communicated_buffers(trace), std::vector<uint32_t>{1});
}

TEST(Footprints, RoundsOfAPlaceAreOneForm) {
  AccessTrace trace = trace_of({launch_writing({0, 16}, 16), launch_writing({32, 48}, 16), sending(0, 64)});
  std::vector<Footprint> all = footprints_of(trace, {kBuffer});
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].parts.size(), 1u);
  EXPECT_EQ(all[0].parts[0].launches.size(), 2u);
  EXPECT_EQ(all[0].bytes, 32u);
  EXPECT_EQ(all[0].overlap_bytes, 0u);
}

TEST(Footprints, OverlapIsCountedWithinALaunch) {
  std::vector<Footprint> all = footprints_of(trace_of({launch_writing({0, 8, 16}, 12)}), {kBuffer});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].bytes, 28u);
  EXPECT_EQ(all[0].overlap_bytes, 8u);
}

TEST(Footprints, AFormIsTakenAwayWhenAnotherRunDiffers) {
  std::vector<Footprint> all = footprints_of(trace_of({launch_writing({0, 16}, 16)}), {kBuffer});
  refuse_differences(all, trace_of({launch_writing({0, 16}, 16)}), "differs");
  EXPECT_EQ(all[0].parts.size(), 1u);
  refuse_differences(all, trace_of({launch_writing({16, 0}, 16)}), "differs");
  EXPECT_TRUE(all[0].parts.empty());
  EXPECT_EQ(all[0].obstacle, "differs");
}

TEST(Footprints, AFormIsTakenAwayWhenAnotherRunHasNoSuchLaunch) {
  std::vector<Footprint> all = footprints_of(trace_of({launch_writing({0, 16}, 16)}), {kBuffer});
  refuse_differences(all, trace_of({}), "differs");
  EXPECT_TRUE(all[0].parts.empty());
}

TEST(UnwrittenSends, AreBytesThatNoStepBeforeWrote) {
  AccessTrace trace = trace_of({launch_writing({0, 16}, 16), sending(0, 48), launch_writing({32}, 16), sending(0, 48)});
  std::vector<UnwrittenSend> all = unwritten_sends(trace);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].bytes, (ByteRanges{{32, 48}}));
}

TEST(UnwrittenSends, ReceivedBytesAreWritten) {
  TracedStep receive;
  receive.call = {model::Collective::Recv, 32, 0, 0, 1, {}, {true, kBuffer, 0}, 4};
  EXPECT_TRUE(unwritten_sends(trace_of({receive, sending(0, 32)})).empty());
}

}  // namespace

}  // namespace cuco::footprint
