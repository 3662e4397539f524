#include "vcluster/runtime/timing/costs.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

model::GpuProfile gpu() {
  model::GpuProfile profile;
  profile.sm_count = 100;
  profile.clock_ghz = 1;
  profile.fp32_tflops = 10;
  profile.tensor_bf16_tflops = 100;
  profile.l2_gb_per_s = 1000;
  profile.l2_mib = 40;
  profile.hbm_gb_per_s = 200;
  return profile;
}

TEST(BlockTime, IsThatOfTheSlowestUnit) {
  CostCounters work = {};
  work[FpOperations] = 100'000'000;  // A millisecond at 0.1 TFLOP/s a multiprocessor.
  Time compute_bound = time_of(work, gpu());
  EXPECT_NEAR(to_us(compute_bound), 1000 / 0.86, 1);
  work[GlobalBytes] = 1'000'000;  // 100 us at 10 GB/s a multiprocessor: hidden behind the arithmetic.
  EXPECT_EQ(time_of(work, gpu()), compute_bound);
  work[GlobalBytes] = 100'000'000;
  EXPECT_NEAR(to_us(time_of(work, gpu())), 10'000 / 0.86, 10);
}

TEST(BlockTime, CountsTensorWorkAtTheTensorRate) {
  CostCounters work = {};
  work[TensorOperations] = 100'000'000;  // 100 us at 1 TFLOP/s a multiprocessor.
  EXPECT_NEAR(to_us(time_of(work, gpu())), 100 / 0.86, 0.1);
}

TEST(BlockTime, TakesBytesThatMissTheL2AtTheRateOfTheHbm) {
  CostCounters work = {};
  work[GlobalBytes] = 1'000'000;  // 100 us at 10 GB/s a multiprocessor.
  work[HbmBytes] = 500'000;       // 250 us at 2 GB/s.
  EXPECT_NEAR(to_us(time_of(work, gpu())), 250 / 0.86, 0.1);
}

TEST(BlockTime, TakesTheEfficiencyOfTheKindOfKernel) {
  model::GpuProfile measured = gpu();
  measured.efficiency = 0.5, measured.tensor_efficiency = 0.25, measured.memory_efficiency = 1;
  CostCounters work = {};
  work[FpOperations] = 100'000'000;  // A millisecond.
  EXPECT_NEAR(to_us(time_of(work, measured)), 2000, 1);
  work[TensorOperations] = 1;
  EXPECT_NEAR(to_us(time_of(work, measured)), 4000, 1);
  work[GlobalBytes] = 50'000'000;  // 5 ms.
  EXPECT_NEAR(to_us(time_of(work, measured)), 5000, 1);
}

TEST(MovedBytes, AreThoseOfCopiesAndSumsButNotOfProducts) {
  CostCounters work = {};
  EXPECT_TRUE(moves_bytes(work));  // A look at a flag.
  work[GlobalBytes] = 4096, work[PeerBytes] = 4096, work[IntegerOperations] = 100'000;
  EXPECT_TRUE(moves_bytes(work));
  work[FpOperations] = 2048;  // A sum for each float.
  EXPECT_TRUE(moves_bytes(work));
  work[FpOperations] = 16'384;
  EXPECT_FALSE(moves_bytes(work));
  work[FpOperations] = 0, work[TensorOperations] = 16'384;
  EXPECT_FALSE(moves_bytes(work));
}

TEST(Latency, IsPaidForEveryLoadThatWaits) {
  EXPECT_EQ(latency_of(4, 0, gpu()), 4 * 250 * kNanosecond);
  EXPECT_EQ(latency_of(4, 1, gpu()), 4 * 500 * kNanosecond);
  EXPECT_EQ(latency_of(0, 1, gpu()), 0);
}

TEST(MissingShare, IsNothingForWhatFitsIntoTheL2) { EXPECT_EQ(missing_share(30 << 20, 1e9, gpu()), 0); }

TEST(MissingShare, IsOneTripForEveryByteOfALargeFootprint) {
  EXPECT_DOUBLE_EQ(missing_share(100e6, 400e6, gpu()), 0.25);
  EXPECT_EQ(missing_share(100e6, 50e6, gpu()), 1);
}

TEST(BlockTime, IsZeroForNoWork) { EXPECT_EQ(time_of({}, gpu()), 0); }

}  // namespace
}  // namespace cuco::vcluster
