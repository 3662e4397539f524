// A kernel of which some blocks communicate and the others compute: the text, that the program does the same under the
// checkers, a planted fault, and what is left alone. All rewriting starts from one traced run.
#include "fused_trial.h"
#include "nvcc_compile.h"

namespace cuco {
namespace {

using space::Backend;

constexpr uint32_t kCommunicators = 2;
constexpr space::Directive kPlain = {Backend::Lsa, space::Placement::Specialised, space::SyncScope::Flag,
                                     space::Issuer::MultiCta, 256};

Trial odd_tiles(Backend backend, uint32_t ranks = 4) {
  return {kFolder / "odd_tiles.cu", {}, {}, ranks, backend == Backend::Lsa ? 1u : 2u};
}

const model::AccessTrace& trace() {
  static const TracedRun run = traced_run(odd_tiles(Backend::Lsa), Backend::Lsa);
  return run.trace;
}

std::string specialised(space::Directive directive, const Trial& trial = odd_tiles(Backend::Lsa)) {
  if (directive.backend != Backend::Lsa) directive.sync = space::SyncScope::ChunkSignal;
  space::Schedule schedule;
  schedule.communication_ctas = kCommunicators;
  Result<std::string> text = rewritten(trial, {directive, schedule}, &trace());
  return text ? *text : text.error().message;
}

std::string on(Backend backend) {
  space::Directive directive = kPlain;
  directive.backend = backend;
  return specialised(directive);
}

TEST(SpecialisedText, BodyKernelsAndLaunchAreWritten) {
  expect_in_order(
      on(Backend::Lsa),
      {"template <int kEdge>\n__device__ __forceinline__ void smooth_body(short* out, int rank, int round, "
       "[[maybe_unused]] const uint3 blockIdx, [[maybe_unused]] const dim3 gridDim) {\n",
       "{ smooth_body<kEdge>(out, rank, round, blockIdx, gridDim); }\n",
       "// With the exchange of s1, by blocks of its own.\n",
       "__global__ void smooth_with_s1(short* out, int rank, int round, const cuco::comm::Specialised fused) {\n"
       "  const unsigned place = cuco::comm::begin_specialised(fused);\n"
       "  if (place < fused.communicators) return cuco::comm::communicate<cuco::comm::Lsa>(fused, place);\n"
       "  cuco::comm::Tile tile = {};\n"
       "  while (cuco::comm::take_tile(fused, tile)) smooth_body<kEdge>(out, rank, round, tile.block, "
       "fused.grid);\n",
       "cuco::comm::launch_specialised(\n",
       "cuco::comm::Shape().on_grid(3, 24, 1).of_threads(20, 1, 1).message(2160).along(1)"
       ".in_tiles(cuco::comm::Tiles().step(30, 90, 0).piece(30)),\n",
       "cuco::comm::resident_blocks(smooth_with_s1<1>, kThreads, kShared), ",
       "smooth_with_s1<1><<<fused->blocks, kThreads, kShared, stream>>>(argument_0, argument_1, round, *fused);\n",
       "smooth<1><<<configuration_0, kThreads, kShared, stream>>>(argument_0, argument_1, round);\n",
       "cuco::comm::all_gather(cuco::comm::lsa<1>.blocks(2).specialised(9), own[turn], all[turn],"});
}

// With one text of the program in place of another, on the same lines.
std::string text_with(const std::string& from, const std::string& to) {
  ScratchFolder scratch = ScratchFolder::make("cuco-specialised").value();
  Trial trial = changed(odd_tiles(Backend::Lsa), scratch.path(), from, to);
  std::filesystem::path same_name = scratch.path() / "odd_tiles.cu";
  std::filesystem::rename(trial.program, same_name);
  trial.program = same_name;
  return specialised(kPlain, trial);
}

TEST(SpecialisedText, AParameterWithANameThatIsNeededIsLeftAlone) {
  expect_reason(text_with("void columns(short* out, int rank, int round) {",
                          "void columns(short* out, int rank, int tile) { const int round = tile;"),
                "columns cannot send what it writes: it has a parameter with the name tile");
}

TEST(SpecialisedText, TemplateArgumentsThatAreDeducedAreLeftAlone) {
  expect_reason(
      text_with("__global__ void columns(short* out,", "template <typename T> __global__ void columns(T* out,"),
      "columns cannot send what it writes: it is launched with template arguments that are not written out");
}

TEST(SpecialisedText, AGridBarrierIsLeftAlone) {
  std::string head = "__global__ void columns(short* out, int rank, int round) {";
  expect_reason(
      text_with(concat("// Blocks own a piece of every row.\n", head),
                concat("#include <cooperative_groups.h>\n", head, " cooperative_groups::this_grid().sync();")),
      "columns cannot send what it writes: it synchronises its whole grid");
}

TEST(SpecialisedText, OneThreadIsNoBlock) {
  space::Directive directive = kPlain;
  directive.issuer = space::Issuer::Thread;
  expect_reason(specialised(directive), "whole blocks communicate, which is cta or multi-cta");
}

TEST(SpecialisedText, WholeMessagesAreLeftAlone) {
  space::Directive directive = kPlain;
  directive.chunk_bytes = space::kWholeMessage;
  expect_reason(specialised(directive), "blocks that only communicate need parts to send while others compute");
}

TEST(SpecialisedText, ReductionsAreLeftAlone) {
  Trial reductions{kFolder / "tiled_reductions.cu", {}, {}};
  expect_reason(specialised(kPlain, reductions), "no rule reduces in blocks of their own");
}

TEST(SpecialisedText, SendsAreLeftAlone) {
  Trial sends{kFolder / "tiled_sends.cu", {}, {}};
  expect_reason(specialised(kPlain, sends), "no rule has blocks of their own for ncclSend, only for collectives");
}

constexpr const char* kRoom = "residents().room = room;";

// So few blocks find room that each that computes takes many tiles.
constexpr const char* kFiveBlocks = "residents().room = 5;";

// What the program prints does not depend on what the ranks are connected by.
void expect_same_on(Backend backend, uint32_t ranks, const char* from, const char* to) {
  std::string before = traced_run(odd_tiles(Backend::Lsa, ranks), Backend::Lsa).text;
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  EXPECT_EQ(fused_run(odd_tiles(backend, ranks), backend, on(backend), from, to, ranks == 4 ? 2 : 1), before);
}

class Specialised : public testing::SharedOut<Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Specialised, ::testing::Values(Backend::Lsa, Backend::Gin, Backend::Hybrid));

TEST_P(Specialised, TwoRanksGetTheSame) { expect_same_on(GetParam(), 2, "", ""); }
TEST_P(Specialised, FourRanksWithFewBlocksGetTheSame) { expect_same_on(GetParam(), 4, kRoom, kFiveBlocks); }
TEST_P(Specialised, EightRanksGetTheSame) { expect_same_on(GetParam(), 8, "", ""); }

TEST(SpecialisedRoom, WithoutRoomForComputeTheLaunchRunsAsWritten) {
  expect_same_on(Backend::Lsa, 4, kRoom, "residents().room = 2;");
}

// One thread counts the tile before the others have stored their part of it.
TEST(SpecialisedFault, TilesThatAreCountedBeforeTheyAreWrittenAreFound) {
  std::string text = fused_run(odd_tiles(Backend::Lsa), Backend::Lsa, on(Backend::Lsa),
                               "  __shared__ Tile next;\n  __syncthreads();\n", "  __shared__ Tile next;\n", 1);
  EXPECT_NE(text.find("race"), text.npos) << text;
}

TEST(SpecialisedNvcc, CompilesTheProgram) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", on(Backend::Hybrid)));
  EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
}

}  // namespace
}  // namespace cuco
