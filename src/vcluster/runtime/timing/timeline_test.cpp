#include "vcluster/runtime/timing/timeline.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

model::HardwareProfile small_profile() {
  model::HardwareProfile hardware;
  hardware.gpu.sm_count = 1;
  hardware.gpu.clock_ghz = 1;
  hardware.gpu.fp32_tflops = 1;
  hardware.gpu.tensor_bf16_tflops = 1;
  hardware.gpu.l2_gb_per_s = 1;
  hardware.topology.inside = model::Link{"nvlink", 1, 1, 0};
  return hardware;
}

StreamSlice transfer(Time begin, Time end, double bytes) {
  StreamSlice slice;
  slice.begin = begin, slice.end = end, slice.name = "ncclSend";
  slice.work.inside_bytes = bytes;
  return slice;
}

RunReport report_of(const Timeline& timeline) {
  RunReport report;
  timeline.fill(report, small_profile());
  return report;
}

TEST(Timeline, TakesTheLongestTimeReadAsItsRegion) {
  Timeline timeline(1, false);
  timeline.add_operation(transfer(0, 100 * kMicrosecond, 1));
  timeline.add_timed(0, 10 * kMicrosecond, 12 * kMicrosecond);
  timeline.add_timed(0, 20 * kMicrosecond, 50 * kMicrosecond);
  timeline.add_timed(0, 60 * kMicrosecond, 61 * kMicrosecond);
  RankTiming timing = report_of(timeline).timings.at(0);
  EXPECT_EQ(timing.region, "events");
  EXPECT_DOUBLE_EQ(timing.begin_us, 20);
  EXPECT_DOUBLE_EQ(timing.end_us, 50);
}

TEST(Timeline, FallsBackToTheActivityOfTheRank) {
  Timeline timeline(2, false);
  timeline.add_operation(transfer(5 * kMicrosecond, 9 * kMicrosecond, 1));
  timeline.add_operation(transfer(2 * kMicrosecond, 3 * kMicrosecond, 1));
  RunReport report = report_of(timeline);
  EXPECT_EQ(report.timings.at(0).region, "activity");
  EXPECT_DOUBLE_EQ(report.timings.at(0).begin_us, 2);
  EXPECT_DOUBLE_EQ(report.timings.at(0).end_us, 9);
  EXPECT_EQ(report.timings.at(1).region, "none");
}

TEST(Timeline, BoundsOnlyTheWorkInsideTheRegion) {
  Timeline timeline(1, false);
  timeline.add_operation(transfer(0, 10, 5000));  // Warm-up: 5 us at 1 GB/s.
  timeline.add_operation(transfer(20, 30, 2000));
  timeline.add_timed(0, 15, 40);
  EXPECT_DOUBLE_EQ(report_of(timeline).bound_communication_us, 2);
}

TEST(Timeline, CountsTheOperationsInsideTheRegion) {
  Timeline timeline(1, false);
  StreamSlice warmup = transfer(0, 10, 0), timed = transfer(20, 30, 0);
  warmup.work.counters[FpOperations] = 1000;
  timed.work.counters[FpOperations] = 40;
  timed.work.counters[GlobalBytes] = 8;
  timeline.add_operation(warmup);
  timeline.add_operation(timed);
  timeline.add_timed(0, 15, 40);
  EXPECT_EQ(report_of(timeline).operations, 42u);
}

}  // namespace
}  // namespace cuco::vcluster
