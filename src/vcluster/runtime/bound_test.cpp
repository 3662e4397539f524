#include "vcluster/runtime/bound.h"

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
  work.counters[FpOperations] = 8'600'000'000;  // 0.86 ms at 10 TFLOP/s, of which kernels reach 0.86.
  EXPECT_NEAR(to_us(bound_of({work}, profile()).compute), 1000, 0.01);
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
