// A kernel and the all-gather of what it writes, cut as a traced run allows: the text, and that the program does the
// same under the checkers.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "nvcc_compile.h"
#include "rewritten_trial.h"
#include "testing/share.h"

namespace cuco {
namespace {

Trial tiled(std::vector<std::string> definitions, space::Backend backend = space::Backend::Lsa) {
  return {kFolder / "tiled_gather.cu", std::move(definitions), {}, 4, backend == space::Backend::Lsa ? 1u : 2u};
}

// In chunks of a quarter of a message; or the compute alone in so many slices, before calls that stay.
Result<std::string> sliced(const Trial& trial, space::Backend backend, const model::AccessTrace& trace,
                           uint32_t compute_slices = 1) {
  space::Schedule schedule;
  schedule.streams = 1;
  space::Directive directive = {backend, space::Placement::Stream, space::SyncScope::ChunkSignal, space::Issuer::Cta,
                                2048};
  return rewritten(trial, {directive, schedule, compute_slices}, &trace);
}

std::string text_of(const Trial& trial) {
  Result<std::string> text = sliced(trial, space::Backend::Lsa, traced_run(trial, space::Backend::Lsa).trace);
  return text ? *text : text.error().message;
}

TEST(SlicedText, LaunchKernelAndCallAreCut) {
  expect_in_order(text_of(tiled({})),
                  {"__global__ void fill(float* out, int rank, int round, cuco::comm::BlocksAlong<1> blocks) {\n",
                   "  [[maybe_unused]] const cuco::comm::BlockIndex blockIdx(blocks);\n",
                   "  [[maybe_unused]] const cuco::comm::GridExtent gridDim(blocks);\n",
                   "for (const cuco::comm::Slice& slice : cuco::comm::Slices(4, 1, grid, kTile, stream,\n          "
                   "cuco::comm::Shape().on_grid(4, 8, 1).of_threads(32, 1, 1).message(8192)))\n",
                   "fill<<<slice.grid, kTile, 0, slice.stream>>>(out, rank, round, slice.blocks);\n",
                   "fill<<<dim3(1, 1), kTile, 0, stream>>>(out, rank, 0, cuco::comm::Blocks());\n",
                   "cuco::comm::all_gather(cuco::comm::lsa<1>.in_parts(4), own, all,"});
}

Trial sends(std::vector<std::string> definitions, space::Backend backend = space::Backend::Lsa) {
  return {kFolder / "tiled_sends.cu", std::move(definitions), {}, 4, backend == space::Backend::Lsa ? 1u : 2u};
}

TEST(SlicedText, SendsLeaveSliceBySlice) {
  expect_in_order(
      text_of(sends({})),
      {"__global__ void fill(int* out, int seed, cuco::comm::BlocksAlong<1> blocks) {\n", "cuco::comm::launch_in_slices(\n",
       "{cuco::comm::Shape().on_grid(2, 32, 1).of_threads(32, 2, 1).along(1)\n",
       ".writes(out + (turn - 1) * kCount, cuco::comm::Span().step(512).length(512))},\n", "grid, block, stream,\n",
       "[threads = block, argument_0 = out + (turn - 1) * kCount, argument_1 = self.rank * 100 + turn * 10 + round]"
       "(const cuco::comm::Slice& slice) {\n",
       "fill<<<slice.grid, threads, 0, slice.stream>>>(argument_0, argument_1, slice.blocks);\n      });\n",
       "cuco::comm::send(cuco::comm::lsa<1>.on_stream(0).by_message().in_chunks(2048, cuco::comm::Cut::SmallAtEnds), "});
}

TEST(SlicedText, SendsWhoseBlocksWriteEverywhereRunWholeBesideCutReaders) {
  std::string text = text_of(sends({"SHAPE=1"}));
  EXPECT_NE(text.find("cuco::comm::before(stream, {cuco::comm::writes(argument_0)});\n"), text.npos);
  EXPECT_NE(text.find("add<<<slice.grid, 128, 0, slice.stream>>>"), text.npos);
}

Trial chained(std::vector<std::string> definitions, space::Backend backend = space::Backend::Lsa) {
  return {kFolder / "chained_kernels.cu", std::move(definitions), {}, 4, backend == space::Backend::Lsa ? 1u : 2u};
}

// Slices of the first kernel begin where slices of the second one do, four rows at a time; what lies around a slice is
// read with it.
TEST(SlicedText, KernelsBetweenReceiveAndSendAreCutAlike) {
  expect_in_order(
      text_of(chained({})),
      {"cuco::comm::Shape().on_grid(48, 1, 1).of_threads(64, 1, 1).in_grains(4)\n",
       "cuco::comm::Span().step(128).length(128))", "widen<<<slice.grid, threads",
       "cuco::comm::Span().from(-256).step(1024).length(1536))", "smooth<<<slice.grid, 32", "narrow<<<slice.grid, threads",
       "cuco::comm::wait_slices();\n", "cudaMemcpyAsync(memory.table"});
}

TEST(SlicedText, AKernelThatCannotBeCutRunsWholeBetweenTheOthers) {
  std::string text = text_of(chained({"SHAPE=1"}));
  EXPECT_NE(text.find("widen<<<slice.grid"), text.npos);
  EXPECT_EQ(text.find("smooth<<<slice.grid"), text.npos);
  EXPECT_NE(text.find("cuco::comm::wait_slices();\n  smooth<<<dim3(kColumns / 32"), text.npos);
}

TEST(SlicedText, SlicesThatReadFromTheOtherEndWaitForEverything) {
  expect_in_order(text_of(chained({"SHAPE=2"})), {".reads(memory.", ")\n          .writes(memory."});
}

TEST(SlicedText, ColumnsAreSentInPiecesOfRows) {
  EXPECT_NE(text_of(tiled({"SHAPE=1"})).find("cuco::comm::lsa<1>.in_parts(4, 128), "), std::string::npos);
}

void expect_left_alone(std::vector<std::string> definitions, const std::string& reason) {
  std::string text = text_of(tiled(std::move(definitions)));
  EXPECT_NE(text.find(reason), text.npos) << text.substr(0, 2000);
}

TEST(SlicedText, BlocksThatWriteEverywhereAreLeftAlone) {
  expect_left_alone(
      {"SHAPE=2"}, "the messages cannot be sent in parts: no dimension of the grid of fill goes through every message");
}

TEST(SlicedText, AHelperThatAsksForItsBlockIsLeftAlone) {
  ScratchFolder scratch = ScratchFolder::make("cuco-helper").value();
  Trial trial = tiled({});
  std::string text = replace_all(*read_file(trial.program), "blockIdx.x * kTile", "block_column() * kTile");
  trial.program = scratch.path() / "helper.cu";
  text = replace_all(text, "__global__ void fill",
                     "__device__ int block_column() { return blockIdx.x; }\n__global__ void fill");
  ASSERT_TRUE(write_file(trial.program, replace_all(text, "support.h", (kFolder / "support.h").string())));
  EXPECT_NE(text_of(trial).find("the grid of fill cannot be cut: it calls block_column, which asks for its block"),
            std::string::npos);
}

TEST(SlicedText, ALaunchInAMacroIsLeftAlone) {
  expect_left_alone({"FORM=1"}, "the grid of fill cannot be cut: it stands in a macro");
}

TracedRun rewritten_run(Trial trial, space::Backend backend, const model::AccessTrace& trace,
                        uint32_t compute_slices = 1) {
  Result<std::string> text = sliced(trial, backend, trace, compute_slices);
  if (!text) return {text.error().message, {}, 0};
  ScratchFolder scratch = ScratchFolder::make("cuco-sliced").value();
  trial.program = scratch.path() / trial.program.filename();
  EXPECT_TRUE(write_file(trial.program, *text));
  return traced_run(trial, backend);
}

class Sliced : public testing::SharedOut<space::Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Sliced,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid));

TEST_P(Sliced, RowsAndColumnsArriveAsBefore) {
  for (const char* shape : {"SHAPE=0", "SHAPE=1"}) {
    SCOPED_TRACE(shape);
    Trial trial = tiled({shape}, GetParam());
    TracedRun before = traced_run(trial, GetParam());
    ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
    EXPECT_EQ(rewritten_run(trial, GetParam(), before.trace).text, before.text);
  }
}

TEST_P(Sliced, SendsInPartsArriveAsBefore) {
  for (const char* shape : {"SHAPE=0", "SHAPE=1"}) {
    SCOPED_TRACE(shape);
    Trial trial = sends({shape}, GetParam());
    TracedRun before = traced_run(trial, GetParam());
    ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
    EXPECT_EQ(rewritten_run(trial, GetParam(), before.trace).text, before.text);
  }
}

Trial reductions(uint32_t ranks, std::vector<std::string> definitions, space::Backend backend = space::Backend::Lsa) {
  return {kFolder / "tiled_reductions.cu", std::move(definitions), {}, ranks, backend == space::Backend::Lsa ? 1u : 2u};
}

TEST(SlicedText, ReductionsAreCutWithTheLaunchBeforeThem) {
  expect_in_order(
      text_of(reductions(4, {})),
      {"#include <cuco/comm/reduce_parts.cuh>\n",
       "for (const cuco::comm::Slice& slice : cuco::comm::Slices(2, 0, shared.grid(), block, stream,\n          "
       "cuco::comm::Shape().on_grid(5, 6, 1).of_threads(24, 2, 1).when(cuco::comm::value_of(shared.rows) == 12)"
       ".message(5760)))\n",
       "fill_shared<<<slice.grid, block, 0, slice.stream>>>(shared.part, shared.rows, seed, slice.blocks);\n",
       "cuco::comm::reduce_scatter(cuco::comm::lsa<1>.sum<float>().in_parts(2, 96), shared.part"});
}

TEST(SlicedText, ReductionsWhoseBlocksWriteEverywhereAreLeftAlone) {
  EXPECT_NE(text_of(reductions(4, {"SHAPE=1"}))
                .find("the messages cannot be sent in parts: no dimension of the grid of fill_shared goes through "
                      "every message from its begin to its end"),
            std::string::npos);
}

struct Elements {
  uint32_t ranks;
  const char *type, *nccl_type;
};

// Every number of ranks with another type of elements; two nodes share an even number.
class SlicedReductions : public testing::SharedOut<std::tuple<space::Backend, Elements>> {};
INSTANTIATE_TEST_SUITE_P(
    Backends, SlicedReductions,
    ::testing::Combine(::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid),
                       ::testing::Values(Elements{2, "TYPE=__half", "NCCL_TYPE=ncclHalf"},
                                         Elements{3, "TYPE=int", "NCCL_TYPE=ncclInt32"},
                                         Elements{4, "TYPE=float", "NCCL_TYPE=ncclFloat"},
                                         Elements{5, "TYPE=__nv_bfloat16", "NCCL_TYPE=ncclBfloat16"})));

TEST_P(SlicedReductions, SumsAreAsBefore) {
  auto [backend, elements] = GetParam();
  Trial trial = reductions(elements.ranks, {elements.type, elements.nccl_type}, backend);
  if (elements.ranks % 2 != 0) trial.nodes = 1;
  if (elements.ranks % 2 != 0 && backend != space::Backend::Lsa) trial.nodes = elements.ranks;
  TracedRun before = traced_run(trial, backend);
  ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
  EXPECT_EQ(rewritten_run(trial, backend, before.trace).text, before.text);
}

TEST_P(Sliced, ChainsOfKernelsGiveTheSameAsBefore) {
  for (const char* shape : {"SHAPE=0", "SHAPE=1", "SHAPE=2", "SHAPE=3"}) {
    SCOPED_TRACE(shape);
    Trial trial = chained({shape}, GetParam());
    TracedRun before = traced_run(trial, GetParam());
    ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
    EXPECT_EQ(rewritten_run(trial, GetParam(), before.trace).text, before.text);
  }
}

// What rank 0 launches, in the order of the host: first letters of the kernels, a large one where the last of them
// works on the second half.
std::string launched(const std::string& shape) {
  Trial trial = chained({shape});
  model::AccessTrace trace = traced_run(trial, space::Backend::Lsa).trace;
  model::AccessTrace after = rewritten_run(trial, space::Backend::Lsa, trace).trace;
  std::string letters;
  for (const model::TracedStep& step : after.ranks[0]) {
    std::string kernel = step.is_launch ? step.launch.kernel : "";
    if (kernel != "widen" && kernel != "smooth" && kernel != "narrow") continue;
    letters += kernel == "narrow" && step.launch.pointers.back().offset > 0 ? 'N' : kernel[0];
  }
  return letters;
}

std::string only(const std::string& letters, const std::string& kept) {
  std::string left;
  for (char letter : letters)
    if (kept.find(letter) != kept.npos) left += letter;
  return left;
}

// The second slice of the first kernel is needed for the first of the second, and no third for the first that is sent.
TEST(SlicedOrder, KernelsThatFeedEachOtherGoSliceBySlice) { EXPECT_TRUE(launched("SHAPE=0").starts_with("wwsn")); }

TEST(SlicedOrder, WorkThatNeedsNothingOfTheFirstBeginsFourSlicesLater) {
  EXPECT_EQ(only(launched("SHAPE=0"), "nN").substr(0, 16), "nnnnnNnNnNnNNNNN");
}

TEST(SlicedOrder, WorkThatGoesOnWithTheFirstGoesWithIt) {
  std::string order = only(launched("SHAPE=3"), "nN");
  EXPECT_LT(order.find('N'), 5u) << order;
}

TEST(SlicedCompute, CallsStayBehindTheLastSlice) {
  Trial trial = tiled({});
  std::string text = *sliced(trial, space::Backend::Lsa, traced_run(trial, space::Backend::Lsa).trace, 3);
  expect_in_order(text, {"for (const cuco::comm::Slice& slice : cuco::comm::Slices(3, 1, grid, kTile, stream))\n",
                         "fill<<<slice.grid, kTile, 0, slice.stream>>>(out, rank, round, slice.blocks);\n",
                         "ncclAllGather(own, all,"});
  EXPECT_EQ(text.find("submit_parts"), text.npos);
}

// Whatever the blocks write, since nothing leaves before the last of them.
TEST(SlicedCompute, GivesTheSameResults) {
  for (Trial trial : {tiled({"SHAPE=2"}), sends({"SHAPE=1"})}) {
    TracedRun before = traced_run(trial, space::Backend::Lsa);
    ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
    for (uint32_t slices : {2u, 8u}) {
      SCOPED_TRACE(concat(trial.program.filename().string(), " in ", slices));
      EXPECT_EQ(rewritten_run(trial, space::Backend::Lsa, before.trace, slices).text, before.text);
    }
  }
}

TEST(SlicedCompute, ALaunchInAMacroIsLeftAlone) {
  Trial trial = tiled({"FORM=1"});
  Result<std::string> text = sliced(trial, space::Backend::Lsa, traced_run(trial, space::Backend::Lsa).trace, 4);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("no kernel that feeds a call can run in slices: fill runs whole: it stands in a "
                                      "macro"),
            std::string::npos)
      << text.error().message;
}

TEST(SlicedNodes, HybridCrossesTheNetworkOnceForEachNode) {
  model::AccessTrace trace = traced_run(tiled({}, space::Backend::Gin), space::Backend::Gin).trace;
  double each_rank = rewritten_run(tiled({}, space::Backend::Gin), space::Backend::Gin, trace).communication_us;
  double each_node = rewritten_run(tiled({}, space::Backend::Hybrid), space::Backend::Hybrid, trace).communication_us;
  EXPECT_LT(each_node, 0.6 * each_rank);
}

// Collectives in parts over nodes, and sends in flight by slices.
TEST(SlicedNvcc, CompilesCutPrograms) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  for (const Trial& trial : {tiled({}, space::Backend::Hybrid), sends({}, space::Backend::Hybrid),
                             reductions(4, {}, space::Backend::Hybrid), chained({}, space::Backend::Hybrid)}) {
    SCOPED_TRACE(trial.program);
    Result<std::string> text = sliced(trial, space::Backend::Hybrid, traced_run(trial, space::Backend::Hybrid).trace);
    ASSERT_TRUE(text) << text.error().message;
    ScratchFolder scratch = ScratchFolder::make("cuco-sliced-nvcc").value();
    ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
    EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
  }
}

}  // namespace
}  // namespace cuco
