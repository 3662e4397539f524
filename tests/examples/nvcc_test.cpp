// nvcc builds the programs of examples/ against the real headers of NCCL, where these are.
#include <gtest/gtest.h>

#include "../rewrite/nvcc_compile.h"

namespace cuco {
namespace {

// One of them by default: a build takes as long as all runs of an example.
class NvccExample : public testing::SharedOut<const char*, 5> {};

TEST_P(NvccExample, IsBuilt) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  EXPECT_EQ(compile(kSource / "examples" / GetParam(), "sm_90", {}), "");
}

INSTANTIATE_TEST_SUITE_P(Examples, NvccExample,
                         ::testing::Values("gemm_all_gather.cu", "ring_attention.cu", "moe_dispatch_combine.cu",
                                           "halo_exchange.cu", "all_reduce_rmsnorm.cu"));

}  // namespace
}  // namespace cuco
