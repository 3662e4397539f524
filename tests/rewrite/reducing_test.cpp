// A kernel that reduces what it writes: the text, that the program does the same under the checkers on several
// schedules, what is left alone, and that a fault in it is found.
#include "fused_trial.h"
#include "nvcc_compile.h"

namespace cuco {
namespace {

constexpr uint64_t kQuarter = 512;

Trial tiled(std::vector<std::string> definitions, space::Backend backend, uint32_t ranks = 4) {
  return {kFolder / "tiled_reductions.cu", std::move(definitions), {}, ranks, backend == space::Backend::Lsa ? 1u : 2u};
}

std::string text_with(const std::string& from, const std::string& to) {
  ScratchFolder scratch = ScratchFolder::make("cuco-fuse").value();
  return text_of(changed(tiled({}, space::Backend::Lsa), scratch.path(), from, to), space::Backend::Lsa, kQuarter);
}

TEST(ReducingText, BodyKernelsLaunchAndCallAreWritten) {
  expect_in_order(
      text_of(tiled({}, space::Backend::Lsa), space::Backend::Lsa, kQuarter),
      {"s1_reduce_scatter_in_parts_for(ncclDataType_t type) {\n  if (type == ncclFloat) return "
       "s1_reduce_scatter_in_parts<float>;\n",
       "__device__ __forceinline__ void fill_shared_body(float* out, int rows, int seed, ",
       "__global__ void fill_shared_with_s1(float* out, int rows, int seed, const device_comm::Reducing fusing) {\n"
       "  const uint3 block = device_comm::begin_reducing(fusing);\n  fill_shared_body(out, rows, seed, block);\n"
       "  device_comm::end_reducing<device_comm::Lsa, float, device_comm::Sum>(fusing, block);\n}",
       "device_comm::hold_reduced(ncclFloat, {0, 96, 1440, {5, 6, 1}, {24, 2, 1}, {}}, ",
       "](const device_comm::Reducing* fusing) {",
       "device_comm::reduce_scatter({s1_reduce_scatter_for, 1, device_comm::Reach::Lsa, {}, "
       "{3, 96, true, 5, 1440}, s1_reduce_scatter_in_parts_for}, "});
}

class Reducing : public ::testing::TestWithParam<space::Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Reducing,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid));

TEST_P(Reducing, SumsAreAsBefore) { expect_same(tiled({}, GetParam()), GetParam(), {}, {}, kQuarter); }
TEST_P(Reducing, TwoRanksAreEnough) { expect_same(tiled({}, GetParam(), 2), GetParam(), {}, {}, kQuarter); }

}  // namespace
}  // namespace cuco
