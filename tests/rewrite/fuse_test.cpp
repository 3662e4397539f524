// A kernel that sends what it writes: the text, that the program does the same under the checkers on several schedules,
// and what is left alone.
#include "fused_trial.h"
#include "new_lines.h"
#include "nvcc_compile.h"
#include "testing/share.h"

namespace cuco {
namespace {

Trial tiled(std::vector<std::string> definitions, space::Backend backend, uint32_t ranks = 4) {
  return {kFolder / "tiled_gather.cu", std::move(definitions), {}, ranks, backend == space::Backend::Lsa ? 1u : 2u};
}

TEST(FusedText, BodyKernelsAndLaunchAreWritten) {
  expect_in_order(
      text_of(tiled({}, space::Backend::Lsa)),
      {"__device__ __forceinline__ void fill_body(float* out, int rank, int round, "
       "[[maybe_unused]] const uint3 blockIdx) {\n",
       "__global__ void fill(float* out, int rank, int round) { fill_body(out, rank, round, blockIdx); }\n",
       "__global__ void fill_with_s1(float* out, int rank, int round, const cuco::comm::FusedSend fused) {\n",
       "  const uint3 block = cuco::comm::begin_fused<cuco::comm::Lsa>(fused);\n",
       "  fill_body(out, rank, round, block);\n  cuco::comm::end_fused<cuco::comm::Lsa>(fused, block);\n}",
       "cuco::comm::launch_fused(\n",
       "cuco::comm::Shape().on_grid(4, 8, 1).of_threads(32, 1, 1).message(8192).along(1)"
       ".in_tiles(cuco::comm::Tiles().step(128, 1024, 0).piece(128).rows(2, 512)),\n",
       "grid, kTile, stream, cuco::comm::pointers_of(out, rank, round),\n",
       "fill_with_s1<<<grid, kTile, 0, stream>>>(out, rank, round, *fused);\n",
       "fill<<<grid, kTile, 0, stream>>>(out, rank, round);\n",
       "cuco::comm::all_gather(cuco::comm::lsa<1>.fused(4), own, all,"});
}

std::string text_with(const std::string& from, const std::string& to) {
  ScratchFolder scratch = ScratchFolder::make("cuco-fuse").value();
  return text_of(changed(tiled({}, space::Backend::Lsa), scratch.path(), from, to));
}

TEST(FusedText, WholeMessagesAreRefused) {
  expect_reason(text_of(tiled({}, space::Backend::Lsa), space::Backend::Lsa, space::kWholeMessage),
                "a kernel sends what it writes part by part; choose a chunk size");
}

TEST(FusedText, BlocksThatWriteEverywhereAreLeftAlone) {
  expect_reason(text_of(tiled({"SHAPE=2"}, space::Backend::Lsa)),
                "no kernel can send the messages itself: no dimension of the grid of fill goes through every message");
}

TEST(FusedText, ALaunchInAMacroIsLeftAlone) {
  expect_reason(text_of(tiled({"FORM=1"}, space::Backend::Lsa)),
                "fill cannot send what it writes: it stands in a macro");
}

TEST(FusedText, AHelperThatAsksForItsBlockIsLeftAlone) {
  expect_reason(text_with("__global__ void fill(float* out, int rank, int round) {",
                          "__device__ int column() { return blockIdx.x; }\n"
                          "__global__ void fill(float* out, int rank, int round) {\n  rank += 0 * column();"),
                "fill cannot send what it writes: it calls column, which asks for its block");
}

TEST(FusedText, WorkBetweenLaunchAndCallIsNotPassed) {
  expect_reason(
      text_with("    CHECK(ncclAllGather(", "    CHECK(cudaMemsetAsync(all, 0, 4, stream));\n    CHECK(ncclAllGather("),
      "no kernel can send the messages itself: cudaMemsetAsync at ");
}

TEST(FusedText, ACallThatMayNotFollowIsLeftAlone) {
  expect_reason(text_with("    CHECK(ncclAllGather(", "    if (round < argc + 2) CHECK(ncclAllGather("),
                "the call does not follow on every way through the program");
}

TEST(FusedText, AKernelThatWritesWhatIsReceivedIsLeftAlone) {
  expect_reason(text_with("compute(own, self.rank", "compute(all + self.rank * kCount, self.rank"),
                "no kernel can send the messages itself: fill touches what the call receives into");
}

TEST(FusedText, AKernelUsedByItsAddressIsLeftAlone) {
  expect_reason(text_with("int main(", "const void* address = (const void*)&fill;\nint main("),
                "fill cannot send what it writes: it is used by its address");
}

TEST(FusedText, AKernelDeclaredTwiceIsLeftAlone) {
  expect_reason(
      text_with("__device__ float value_at", "__global__ void fill(float*, int, int);\n__device__ float value_at"),
      "fill cannot send what it writes: it is declared more than once");
}

TEST(FusedText, ArgumentsThatChangeSomethingAreLeftAlone) {
  expect_reason(text_with("stream>>>(out, rank, round);\n  else", "stream>>>(out, rank, round = round);\n  else"),
                "it is launched cooperatively or with arguments that change something");
}

constexpr const char* kKernelHead = "__global__ void fill(float* out, int rank, int round) {";
constexpr const char* kGrid = "dim3 grid(kColumns / kTile, SHAPE == 0 ? kRows / 2 : SHAPE == 1 ? 1 : 2);";

TEST(FusedText, AParameterWithANameThatIsNeededIsLeftAlone) {
  expect_reason(
      text_with(kKernelHead, "__global__ void fill(float* out, int rank, int block) {\n  const int round = block;"),
      "fill cannot send what it writes: it has a parameter with the name block");
}

TEST(FusedText, AKernelWhoseBodyHasNoNameIsLeftAlone) {
  expect_reason(text_with("__device__ float value_at", "__device__ void fill_body() {}\n__device__ float value_at"),
                "fill cannot send what it writes: it has a name that with _body is taken");
}

TEST(FusedText, ALaunchThatOtherWorkFollowsElsewhereIsLetGoBeforeIt) {
  std::string text =
      text_with("    compute(own, self.rank, round, stream);",
                "    compute(own, self.rank, round + 1, stream);\n"
                "    CHECK(cudaMemsetAsync(all, 0, 4, stream));\n    compute(own, self.rank, round, stream);");
  expect_reason(text, "cuco::comm::launch_waiting();\n    CHECK(cudaMemsetAsync(all, 0, 4, stream));\n");
}

TEST(FusedText, RowsThatMoveFromRoundToRoundAreLeftAlone) {
  expect_reason(text_with("int at = row * kColumns + blockIdx.x",
                          "int at = (row + 2 * round) % kRows * kColumns + (blockIdx.x + round) % gridDim.x"),
                "no dimension of the grid of fill goes through every message");
}

TEST(FusedText, OneBlockThatLoopsOverAllTilesIsLeftAlone) {
  expect_reason(text_with(kGrid, "dim3 grid(1, 1);"), "no dimension of the grid of fill goes through every message");
}

Trial shared_kernel(const char* form) { return {kFolder / "shared_kernel.cu", {form}, {}}; }

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) count++;
  return count;
}

TEST(FusedText, AKernelOfTwoCallsIsWrittenOnceAndForEach) {
  std::string text = text_of(shared_kernel("FORM=0"), space::Backend::Lsa, 512);
  for (const char* one : {"void fill_body(", "void fill(", "void fill_with_s1(", "void fill_with_s2("})
    EXPECT_EQ(count_of(text, one), 1u) << one;
}

TEST(FusedText, ALaunchThatFeedsTwoCallsIsHeldForOne) {
  expect_reason(text_of(shared_kernel("FORM=1"), space::Backend::Lsa, 512),
                "shared_kernel.cu:36 is held for s1 already, and a launch sends for one call");
}

TEST(FusedText, ALaunchBeforeEitherOfTwoCallsIsHeldForOne) {
  expect_reason(text_of(shared_kernel("FORM=2"), space::Backend::Lsa, 512),
                "shared_kernel.cu:25 is held for s1 already, and a launch sends for one call");
}

TEST(FusedText, WithoutATraceNothingIsFused) {
  Trial trial = tiled({}, space::Backend::Lsa);
  expect_reason(fused(trial, space::Backend::Lsa, nullptr).error().message,
                "sending from inside a kernel needs a traced run of the program");
}

TEST(FusedText, ABarrierWaitsForNoPart) {
  Trial trial = tiled({}, space::Backend::Lsa);
  expect_reason(fused(trial, space::Backend::Lsa, nullptr, space::SyncScope::Barrier).error().message,
                "parts are awaited one by one, and a barrier waits for all");
}

class Fused : public testing::SharedOut<space::Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Fused,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid));

TEST_P(Fused, RowsArriveAsBefore) { expect_same(tiled({"SHAPE=0"}, GetParam()), GetParam()); }
TEST_P(Fused, ColumnsArriveAsBefore) { expect_same(tiled({"SHAPE=1"}, GetParam()), GetParam()); }
TEST_P(Fused, TwoRanksAreEnough) { expect_same(tiled({"SHAPE=0"}, GetParam(), 2), GetParam()); }

TEST_P(Fused, TilesWithoutAFormArriveAsBefore) {
  ScratchFolder scratch = ScratchFolder::make("cuco-fuse").value();
  Trial swapped = changed(tiled({}, GetParam()), scratch.path(), "blockIdx.x * kTile", "(blockIdx.x ^ 1) * kTile");
  ASSERT_NE(
      text_of(swapped, GetParam()).find("Shape().on_grid(4, 8, 1).of_threads(32, 1, 1).message(8192).along(1),\n"),
      std::string::npos);
  expect_same(swapped, GetParam());
}

TEST_P(Fused, LaunchesOfAnotherShapeThanTheTracedRunAsWritten) {
  expect_same(tiled({}, GetParam()), GetParam(), "on_grid(4, 8, 1)", "on_grid(4, 7, 1)");
  expect_same(tiled({}, GetParam()), GetParam(), ".message(8192)", ".message(4096)");
}

TEST(FusedNvcc, CompilesFusedPrograms) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  for (space::Backend backend : backends_to_compile()) {
    ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
    ASSERT_TRUE(write_file(scratch.path() / "program.cu", text_of(tiled({}, backend), backend)));
    EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
  }
}

// A kernel, its launch and the call: what the fast path adds besides.
TEST(FusedText, HasAtMost40NewLines) {
  for (const char* program : {"tiled_gather.cu", "tiled_broadcast.cu", "gathered_product.cu"}) {
    Trial trial{kFolder / program, {}, {}, 4, 1};
    std::string text = text_of(trial);
    ASSERT_NE(text.find("cuco::comm::launch_fused("), text.npos) << text;
    size_t lines = new_lines(*read_file(trial.program), text);
    std::printf("%3zu new lines in %s\n", lines, program);
    EXPECT_LE(lines, 40u) << program;
  }
}

}  // namespace
}  // namespace cuco
