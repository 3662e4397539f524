#include "vcluster/runtime/timing/bound.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

model::HardwareProfile profile() {
  model::HardwareProfile hardware;
  hardware.gpu.sm_count = 100;
  hardware.gpu.clock_ghz = 1;
  hardware.gpu.fp32_tflops = 10;
  hardware.gpu.tensor_bf16_tflops = 100;
  hardware.gpu.l2_gb_per_s = 1000;
  hardware.topology.inside = model::Link{"nvlink", 1, 100, 0};
  return hardware;
}

TEST(Bound, SpreadsComputeOverAllMultiprocessors) {
  Work work;
  work.block_time = 100'000 * kMicrosecond;
  EXPECT_EQ(bound_of({work}, profile()).compute, 1000 * kMicrosecond);
}

// 60 us of arithmetic and 40 us of memory in blocks of their own: they take turns, and neither hides the other.
TEST(Bound, BlocksOfDifferentUnitsTakeTurns) {
  Work arithmetic, memory;
  arithmetic.counters[FpOperations] = 516'000'000;  // 51.6 us at 10 TFLOP/s, of which kernels reach 0.86.
  memory.counters[GlobalBytes] = 34'400'000;        // 34.4 us at 1 TB/s, the same.
  Work both = arithmetic;
  both += memory;
  EXPECT_NEAR(to_us(time_of(both.counters, profile().gpu)), 60 * 100, 1);
  for (Work* each : {&arithmetic, &memory}) each->block_time = time_of(each->counters, profile().gpu);
  arithmetic += memory;
  EXPECT_NEAR(to_us(bound_of({arithmetic}, profile()).compute), 100, 0.01);
}

TEST(Bound, IsThatOfTheBusiestRankAndTheSlowerPart) {
  Work light, heavy;
  light.inside_bytes = 1e6;
  heavy.inside_bytes = 4e6;
  Bound bound = bound_of({light, heavy}, profile());
  EXPECT_EQ(bound.communication, 40 * kMicrosecond);
  EXPECT_EQ(bound.limit(), 40 * kMicrosecond);
}

TEST(Bound, IsZeroForNoWork) { EXPECT_EQ(bound_of({}, profile()).limit(), 0); }

}  // namespace
}  // namespace cuco::vcluster
