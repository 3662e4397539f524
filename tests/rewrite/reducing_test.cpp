// A kernel that reduces what it writes: the text, that the program does the same under the checkers on several
// schedules, what is left alone, and that a fault in it is found.
#include "fused_trial.h"
#include "nvcc_compile.h"
#include "testing/share.h"

namespace cuco {
namespace {

constexpr uint64_t kChunk = 512;

Trial tiled(std::vector<std::string> definitions, space::Backend backend, uint32_t ranks = 4) {
  return {kFolder / "tiled_reductions.cu", std::move(definitions), {}, ranks, backend == space::Backend::Lsa ? 1u : 2u};
}

std::string text_with(const std::string& from, const std::string& to) {
  ScratchFolder scratch = ScratchFolder::make("cuco-fuse").value();
  return text_of(changed(tiled({}, space::Backend::Lsa), scratch.path(), from, to), space::Backend::Lsa, kChunk);
}

TEST(ReducingText, BodyKernelsLaunchAndCallAreWritten) {
  expect_in_order(
      text_of(tiled({}, space::Backend::Lsa), space::Backend::Lsa, kChunk),
      {"#include <cuco/comm/fused_reduce.cuh>\n", "__device__ __forceinline__ void fill_shared_body(TYPE* out, int rows, int seed, ",
       "__global__ void fill_shared_with_s1(TYPE* out, int rows, int seed, const cuco::comm::FusedReduce fused) {\n"
       "  const uint3 block = cuco::comm::begin_reducing(fused);\n  fill_shared_body(out, rows, seed, block);\n"
       "  cuco::comm::end_reducing<cuco::comm::Lsa, float, cuco::comm::Sum>(fused, block);\n}",
       "cuco::comm::launch_reducing(ncclFloat,\n",
       "cuco::comm::Shape().on_grid(5, 6, 1).of_threads(24, 2, 1).when(cuco::comm::value_of(shared.rows) == 12)"
       ".message(5760).row_piece(96),\n",
       "](const cuco::comm::FusedReduce* fused) {",
       "cuco::comm::reduce_scatter(cuco::comm::lsa<1>.sum<float>().fused(3, 96, 5, 1440), "});
}

TEST(ReducingText, BlocksThatWriteEverywhereAreLeftAlone) {
  expect_reason(text_of(tiled({"SHAPE=1"}, space::Backend::Lsa), space::Backend::Lsa, kChunk),
                "no kernel can send the messages itself: no dimension of the grid of fill_shared goes through every");
}

TEST(ReducingText, WorkBetweenLaunchAndCallIsNotPassed) {
  expect_reason(text_with("      CHECK(ncclReduceScatter(",
                          "      CHECK(cudaMemsetAsync(shown, 0, 4, stream));\n      CHECK(ncclReduceScatter("),
                "no kernel can send the messages itself: cudaMemsetAsync at ");
}

TEST(ReducingText, ACallThatMayNotFollowIsLeftAlone) {
  expect_reason(text_with("      CHECK(ncclReduceScatter(", "      if (round < argc + 2) CHECK(ncclReduceScatter("),
                "the call does not follow on every way through the program");
}

TEST(ReducingText, AKernelThatLooksAtItsNeighboursInPlaceIsLeftAlone) {
  expect_reason(text_with("__global__ void fill_own(TYPE* out, int rows, int seed) {",
                          "__global__ void fill_own(TYPE* out, int rows, int seed) {\n"
                          "  if (out[(threadIdx.x * 5) % kColumns] == (TYPE)77.f) seed = 0;"),
                "no dimension of the grid of fill_own goes through every message");
}

TEST(ReducingText, AKernelThatTouchesTheResultIsLeftAlone) {
  expect_reason(text_with("fill_whole<<<whole.grid(), block, 0, stream>>>(whole.part,",
                          "fill_whole<<<whole.grid(), block, 0, stream>>>(whole.sum,"),
                "no kernel can send the messages itself: fill_whole touches what the call receives into");
}

constexpr const char* kLastOfPart = "if (is_last_of(all.counters->written[part], blocks_in(all, part)))";

TEST(ReducingFault, PartsThatAreOfferedByTheFirstBlockAreFound) {
  Trial trial = tiled({}, space::Backend::Lsa, 2);
  std::string text = text_of(trial, space::Backend::Lsa, kChunk);
  std::string run =
      fused_run(trial, space::Backend::Lsa, text, kLastOfPart, "if (is_last_of(all.counters->written[part], 1))", 1);
  EXPECT_NE(run.find("race"), run.npos) << run;
}

class Reducing : public testing::SharedOut<space::Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Reducing,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid));

TEST_P(Reducing, SumsAreAsBefore) { expect_same(tiled({}, GetParam()), GetParam(), {}, {}, kChunk); }
TEST_P(Reducing, TwoRanksAreEnough) { expect_same(tiled({}, GetParam(), 2), GetParam(), {}, {}, kChunk); }

TEST_P(Reducing, LaunchesOfAnotherShapeThanTheTracedAreReducedInPartsAllTheSame) {
  expect_same(tiled({}, GetParam(), 2), GetParam(), "of_threads(24, 2, 1)", "of_threads(25, 2, 1)", kChunk);
}

TEST(ReducingRun, MessagesOfAnotherSizeThanTheTracedAreReducedWhole) {
  expect_same(tiled({}, space::Backend::Lsa, 2), space::Backend::Lsa, ", 5, 1440)", ", 5, 1 + 1440)", kChunk);
}

TEST(ReducingRun, SmallElementsAreReducedAsBefore) {
  Trial trial = tiled({"TYPE=__nv_bfloat16", "NCCL_TYPE=ncclBfloat16"}, space::Backend::Lsa, 3);
  expect_same(trial, space::Backend::Lsa, {}, {}, kChunk / 2);
}

TEST(ReducingNvcc, CompilesFusedPrograms) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  for (space::Backend backend : backends_to_compile()) {
    ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
    ASSERT_TRUE(write_file(scratch.path() / "program.cu", text_of(tiled({}, backend), backend, kChunk)));
    EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
  }
}

}  // namespace
}  // namespace cuco
