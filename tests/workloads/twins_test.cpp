// Some twins take as long as their full sizes, for the same reasons. `cuco_twins` shows all of them.
#include <gtest/gtest.h>

#include "timed_workload.h"

namespace cuco::evaluate {
namespace {

constexpr double kTimeApart = 0.1;
constexpr double kSharesApart = 0.04;

void expect_alike(const char* workload, const char* full_name) {
  Result<TimedWorkload> timed = TimedWorkload::build(std::filesystem::path(CUCO_SOURCE_DIR) / "workloads" / workload);
  ASSERT_TRUE(timed) << timed.error().message;
  Result<Configuration> full = find_configuration(timed->workload(), full_name);
  Result<Configuration> twin = find_configuration(timed->workload(), std::string(full_name) + "-twin");
  ASSERT_TRUE(full && twin);
  Result<Timing> wanted = timed->time(*full), seen = timed->time(*twin);
  ASSERT_TRUE(wanted) << wanted.error().message;
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_NEAR(seen->median_us / wanted->median_us, 1, kTimeApart);
  EXPECT_NEAR(shares_of(*seen).compute, shares_of(*wanted).compute, kSharesApart);
  EXPECT_NEAR(shares_of(*seen).communication, shares_of(*wanted).communication, kSharesApart);
}

TEST(Twins, ProductWithAllGatherTakesAsLongAsItsFullSize) { expect_alike("gemm_allgather", "mnk4096-tensor"); }
TEST(Twins, RingAttentionTakesAsLongAsItsFullSize) { expect_alike("flash_cp", "seq4096-hd32-tensor"); }
TEST(Twins, TransferOfACacheTakesAsLongAsItsFullSize) { expect_alike("kv_transfer", "s2048-kv512-fp32"); }
TEST(Twins, DecodingTakesAsLongAsItsFullSize) { expect_alike("allreduce_rmsnorm", "batch64-hidden8192-fp32"); }

}  // namespace
}  // namespace cuco::evaluate
