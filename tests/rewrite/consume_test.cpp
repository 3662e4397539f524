// Kernels whose blocks wait for what they read: the text, that programs do the same under the checkers on several
// schedules, what is left alone, and that a wait which is missing is found.
#include "built_program.h"
#include "inlined.h"
#include "nvcc_compile.h"
#include "rewritten_trial.h"
#include "testing/share.h"

namespace cuco {
namespace {

Trial trial_of(const char* program, space::Backend backend, std::vector<std::string> definitions = {},
               uint32_t ranks = 4) {
  return {kFolder / program, std::move(definitions), {}, ranks, backend == space::Backend::Lsa ? 1u : 2u};
}
Trial gathered(std::vector<std::string> definitions = {}, space::Backend backend = space::Backend::Lsa,
               uint32_t ranks = 4) {
  return trial_of("gathered_rows.cu", backend, std::move(definitions), ranks);
}

space::Directive directive_for(space::Backend backend, uint64_t chunk_bytes) {
  bool network = backend != space::Backend::Lsa, whole = chunk_bytes == space::kWholeMessage;
  space::SyncScope sync = !network ? space::SyncScope::Flag
                          : whole  ? space::SyncScope::PeerSignal
                                   : space::SyncScope::ChunkSignal;
  return {backend, space::Placement::Stream, sync, space::Issuer::Cta, chunk_bytes};
}

// Messages in parts of so many bytes.
Result<std::string> waits(const Trial& trial, const space::Directive& directive, const model::AccessTrace* trace) {
  space::Schedule schedule;
  schedule.streams = 1;
  schedule.waits = space::Waits::Blocks;
  return rewritten(trial, {directive, schedule}, trace);
}

std::string text_of(const Trial& trial, space::Backend backend = space::Backend::Lsa, uint64_t chunk_bytes = 2048) {
  TracedRun before = traced_run(trial, backend);
  Result<std::string> text = waits(trial, directive_for(backend, chunk_bytes), &before.trace);
  return text ? *text : text.error().message;
}

TEST(AwaitingText, BodyKernelsAndLaunchAreWritten) {
  expect_in_order(
      text_of(gathered()),
      {"__device__ __forceinline__ void work_body(const float* all, float* out, int rows, int* counter, "
       "[[maybe_unused]] const uint3 blockIdx) {\n",
       "__global__ void work(const float* __restrict__ all, float* out, int rows, int* counter) "
       "{ work_body(all, out, rows, counter, blockIdx); }\n",
       "__global__ void work_waiting(const float* all, float* out, int rows, int* counter, "
       "const cuco::comm::BlockWaits waits) {\n",
       "  const uint3 block = cuco::comm::wait_for_inputs<cuco::comm::Lsa>(waits);\n",
       "  work_body(all, out, rows, counter, block);\n}",
       "const cuco::comm::BlockWaits waits = cuco::comm::before_blocks(stream, {cuco::comm::reads(all)",
       "}, grid, ",
       "{cuco::comm::Shape().on_grid(2, 32, 1).of_threads(64, 1, 1).when(cuco::comm::value_of(rows) == 64)"
       ".reads(all, cuco::comm::Span().along(1).step(1024).length(1024))});\n",
       "work_waiting<<<grid, kTile, 0, stream>>>(all, ", ", rows, counter, waits);\n",
       "cuco::comm::after_blocks(stream, {cuco::comm::reads(all)",
       "cuco::comm::all_gather(cuco::comm::lsa<1>.on_stream(0).by_message().in_chunks(2048), own, all,"});
}

TEST(AwaitingText, RowsAroundABlocksOwnAreAwaitedToo) {
  EXPECT_NE(text_of(gathered({"SHAPE=2"})).find(".along(1).from(-512).step(1024).length(2048)"), std::string::npos);
}

TEST(AwaitingText, BlocksThatAreNumberedThroughShareTheirRows) {
  EXPECT_NE(text_of(gathered({"FORM=2"}))
                .find("Shape().on_grid(64, 1, 1).of_threads(64, 1, 1).when(cuco::comm::value_of(rows) == 64)"
                      ".reads(all, cuco::comm::Span().every(2).step(1024).length(1024))"),
            std::string::npos);
}

std::string text_with(const std::string& from, const std::string& to) {
  ScratchFolder scratch = ScratchFolder::make("cuco-consume").value();
  return text_of(changed(gathered(), scratch.path(), from, to));
}

void expect_reason(const std::string& text, const std::string& reason) {
  EXPECT_NE(text.find(concat("no kernel can wait block by block for what it reads: ", reason)), text.npos)
      << text.substr(0, 2000);
}

TEST(AwaitingText, BlocksThatReadEverythingAreLeftAlone) {
  expect_reason(text_of(gathered({"SHAPE=1"})), "work waits on its stream: every block of it reads all that it gets");
}
TEST(AwaitingText, AtomicOperationsAreLeftAlone) {
  expect_reason(text_of(gathered({"SHAPE=4"})),
                "work waits on its stream: its blocks change memory by atomic operations");
}
TEST(AwaitingText, AHelperThatAsksForItsBlockIsLeftAlone) {
  ScratchFolder scratch = ScratchFolder::make("cuco-consume").value();
  Trial trial =
      changed(gathered(), scratch.path(), "const int first = 2 * blockIdx.y;", "const int first = 2 * row();");
  std::string text = replace_all(*read_file(trial.program), "// The value that",
                                 "__device__ int row() { return blockIdx.y; }\n// The value that");
  ASSERT_TRUE(write_file(trial.program, text));
  expect_reason(text_of(trial), "work waits on its stream: it calls row, which asks for its block");
}
TEST(AwaitingText, ALaunchInAMacroIsLeftAlone) {
  expect_reason(text_of(gathered({"FORM=1"})), "work waits on its stream: it stands in a macro");
}

// Two runs with other inputs say so; here the second one is made up.
TEST(AwaitingText, ReadsThatVaryAreLeftAlone) {
  Trial trial = gathered();
  model::AccessTrace trace = traced_run(trial, space::Backend::Lsa).trace, other = trace;
  for (model::TracedStep& step : other.ranks[0])
    for (model::TracedBlock& block : step.launch.blocks)
      for (model::Footprint& print : block.footprints) print.begin += step.launch.kernel == "work" ? 4 : 0;
  model::note_varying(trace, other, "with other inputs");
  expect_reason(waits(trial, directive_for(space::Backend::Lsa, 2048), &trace).error().message,
                "work waits on its stream: its blocks read other bytes with other inputs");
}

TEST(AwaitingText, AKernelThatSynchronisesItsGridIsLeftAlone) {
  ScratchFolder scratch = ScratchFolder::make("cuco-consume").value();
  Trial trial =
      changed(gathered(), scratch.path(), "  const int first = 2 * blockIdx.y;\n",
              "  if (rows < 0) cooperative_groups::this_grid().sync();\n  const int first = 2 * blockIdx.y;\n");
  std::string text = concat("#include <cooperative_groups.h>\n", *read_file(trial.program));
  ASSERT_TRUE(write_file(trial.program, text));
  expect_reason(text_of(trial), "work waits on its stream: it synchronises its whole grid");
}
TEST(AwaitingText, LoadsOfConstantMemoryAreLeftAlone) {
  expect_reason(
      text_with("return all[row * kColumns + column] * 3 + 1;", "return __ldg(&all[row * kColumns + column]) * 3 + 1;"),
      "the program reads by __ldg, which takes memory to be constant");
}
TEST(AwaitingText, AKernelUsedByItsAddressIsLeftAlone) {
  expect_reason(text_with("int main(", "const void* address = (const void*)&work;\nint main("),
                "work waits on its stream: it is used by its address");
}
TEST(AwaitingText, AKernelDeclaredTwiceIsLeftAlone) {
  expect_reason(text_with("// The value that",
                          "__global__ void work(const float* __restrict__, float*, int, int*);\n// The value that"),
                "work waits on its stream: it is declared more than once");
}
TEST(AwaitingText, AParameterWithANameThatIsNeededIsLeftAlone) {
  expect_reason(text_with("float* out, int rows, int* counter) {",
                          "float* out, int rows, int* block) {\n"
                          "  int* const counter = block;"),
                "work waits on its stream: it has a parameter with the name block");
}
TEST(AwaitingText, PointersInAStructureAreLeftAlone) {
  ScratchFolder scratch = ScratchFolder::make("cuco-consume").value();
  Trial inside = changed(gathered(), scratch.path(), "__global__ void work(const float* __restrict__ all, ",
                         "struct In {\n  const float* all;\n};\n__global__ void work(In in, ");
  std::string text = replace_all(*read_file(inside.program), "made_of(all, rows, row", "made_of(in.all, rows, row");
  text = replace_all(text, "stream>>>(all, SHAPE", "stream>>>(In{all}, SHAPE");
  ASSERT_TRUE(write_file(inside.program, text));
  expect_reason(text_of(inside), "work waits on its stream: it gets its pointers in a structure");
}
TEST(AwaitingText, ReadersOnAnotherStreamAreLeftAlone) {
  expect_reason(text_with("    work_on(all, out, kRows * self.count, counter, stream);",
                          "    CHECK(cudaStreamSynchronize(stream));\n"
                          "    cudaStream_t other;\n"
                          "    CHECK(cudaStreamCreate(&other));\n"
                          "    work_on(all, out, kRows * self.count, counter, other);\n"
                          "    CHECK(cudaStreamSynchronize(other));\n"
                          "    CHECK(cudaStreamDestroy(other));"),
                "work waits on its stream: it does not run on the stream of the calls");
}
TEST(AwaitingText, ReadsByTheHostAloneAreLeftAlone) {
  expect_reason(text_with("    work_on(all, out, kRows * self.count, counter, stream);\n", ""),
                "none of the traced run reads what is received");
}
TEST(AwaitingText, WithoutATraceNothingWaitsInBlocks) {
  expect_reason(waits(gathered(), directive_for(space::Backend::Lsa, 2048), nullptr).error().message,
                "which block reads what is known from a traced run of the program");
}
TEST(AwaitingText, NothingInFlightIsNothingToWaitFor) {
  space::Directive deferred = directive_for(space::Backend::Lsa, space::kWholeMessage);
  deferred.placement = space::Placement::Deferred;
  model::AccessTrace trace = traced_run(gathered(), space::Backend::Lsa).trace;
  expect_reason(waits(gathered(), deferred, &trace).error().message, "no call runs beside the program's work");
}
TEST(AwaitingText, ReductionsAreLeftAlone) {
  ScratchFolder scratch = ScratchFolder::make("cuco-consume").value();
  Trial trial = changed(gathered(), scratch.path(), "ncclAllGather(own, all, kCount, ncclFloat, comm",
                        "ncclAllReduce(own, all, kCount, ncclFloat, ncclSum, comm");
  expect_reason(text_of(trial, space::Backend::Lsa, space::kWholeMessage),
                "a reduction that runs beside the program's work needs room on the GPU");
}

constexpr uint32_t kSchedules = 4;

// With one text of the rewritten program in place of another.
std::string run_text(Trial trial, const space::Directive& directive, const model::AccessTrace& trace,
                     const std::string& from = {}, const std::string& to = {}) {
  Result<std::string> text = waits(trial, directive, &trace);
  if (!text) return text.error().message;
  EXPECT_NE(text->find(from), text->npos) << from;
  ScratchFolder scratch = ScratchFolder::make("cuco-waits").value();
  trial.program = scratch.path() / trial.program.filename();
  EXPECT_TRUE(write_file(trial.program, from.empty() ? *text : replace_all(*text, from, to)));
  return traced_run(trial, directive.backend, kSchedules).text;
}

void expect_same(const Trial& trial, const space::Directive& directive, const std::string& from = {},
                 const std::string& to = {}) {
  SCOPED_TRACE(concat(trial.program.filename().string(), " ", space::to_text(directive)));
  TracedRun before = traced_run(trial, directive.backend);
  ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
  EXPECT_EQ(run_text(trial, directive, before.trace, from, to), before.text);
}

class Awaiting : public testing::SharedOut<space::Backend> {
 protected:
  static space::Directive in_parts() { return directive_for(GetParam(), 2048); }
  static space::Directive whole() { return directive_for(GetParam(), space::kWholeMessage); }
};
INSTANTIATE_TEST_SUITE_P(Backends, Awaiting,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid));

TEST_P(Awaiting, RowsAreAsBefore) {
  expect_same(gathered({}, GetParam()), in_parts());
  expect_same(gathered({}, GetParam(), 2), whole());
}
TEST_P(Awaiting, RowsWithThoseAroundThemAreAsBefore) { expect_same(gathered({"SHAPE=2"}, GetParam()), in_parts()); }
TEST_P(Awaiting, RowsThatAreOverwrittenAreAsBefore) { expect_same(gathered({"SHAPE=5"}, GetParam()), in_parts()); }
TEST_P(Awaiting, BlocksInARowAreAsBefore) { expect_same(gathered({"FORM=2"}, GetParam()), in_parts()); }
TEST_P(Awaiting, FieldsWithTheirNeighboursRowsAreAsBefore) {
  expect_same(trial_of("halo_steps.cu", GetParam()), whole());
}
TEST_P(Awaiting, SumsOfWhatIsSentAreAsBefore) { expect_same(trial_of("tiled_sends.cu", GetParam()), in_parts()); }
TEST_P(Awaiting, LaunchesOfAnotherShapeThanTheTracedWaitOnTheirStream) {
  Trial trial = gathered({}, GetParam());
  TracedRun before = traced_run(trial, GetParam());
  std::string text = run_text(trial, in_parts(), before.trace, "on_grid(2, 32, 1)", "on_grid(2, 31, 1)");
  EXPECT_NE(text.find("a kernel does not wait for what it reads block by block: no launch has"), text.npos) << text;
  EXPECT_EQ(without_fallbacks(text), before.text);
}

// A block that waits for one row less than it reads is found, and one that waits for more than it needs is not.
TEST_P(Awaiting, AWaitForTooLittleIsFound) {
  Trial trial = gathered({"SHAPE=2"}, GetParam());
  TracedRun before = traced_run(trial, GetParam());
  std::string text = run_text(trial, in_parts(), before.trace, ".from(-512).step(1024).length(2048)", ".step(1024).length(1536)");
  EXPECT_NE(text.find("_race: "), text.npos) << text.substr(0, 2000);
  EXPECT_EQ(run_text(trial, in_parts(), before.trace, ".from(-512).step(1024).length(2048)",
                     ".from(-1024).step(1024).length(3072)"), before.text);
}

// On a GPU with one multiprocessor, which 32 of the 64 blocks fill.
std::vector<std::string> outcomes_when_full(const std::string& text) {
  ScratchFolder scratch = ScratchFolder::make("cuco-full").value();
  std::string profile = *read_file(kSource / "profiles" / (profile_for(space::Backend::Lsa) + ".toml"));
  EXPECT_NE(profile.find("sm_count = 132"), profile.npos);
  EXPECT_TRUE(write_file(scratch.path() / "small.toml", replace_all(profile, "sm_count = 132", "sm_count = 1")));
  EXPECT_TRUE(write_file(scratch.path() / "program.cu", text));
  Result<BuiltProgram> built = BuiltProgram::build({scratch.path() / "program.cu"}, true, kSource);
  EXPECT_TRUE(built);
  std::vector<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 4 && built; seed++)
    outcomes.push_back(built->outcome({{}, 4, 1, (scratch.path() / "small").string(), {}, seed}));
  return outcomes;
}

// What sends comes a while after it could.
std::string with_late_sends(std::string text) {
  const std::string outgoing = "struct Outgoing {\n", launch = "    if (kernel && result == cudaSuccess)\n";
  EXPECT_NE(text.find(outgoing), text.npos);
  EXPECT_NE(text.find(launch), text.npos);
  text = replace_all(
      std::move(text), outgoing,
      concat("static __global__ void linger() {\n  for (volatile int i = 0; i < 5000; i = i + 1) {\n  }\n}\n",
             outgoing));
  return replace_all(std::move(text), launch, concat("    linger<<<1, 1, 0, stream>>>();\n", launch));
}

// Blocks that wait would take the place of what sends for the other ranks if they did not let it begin first.
TEST(AwaitingRoom, IsLeftToWhatOthersWaitFor) {
  std::string text = with_late_sends(inlined(text_of(gathered()))), gate = "  pass_begun(stream, begun);\n";
  for (const std::string& outcome : outcomes_when_full(text)) EXPECT_TRUE(outcome.ends_with("\nok")) << outcome;
  ASSERT_NE(text.find(gate), text.npos);
  std::vector<std::string> without = outcomes_when_full(replace_all(text, gate, ""));
  EXPECT_TRUE(std::any_of(without.begin(), without.end(), [](const std::string& outcome) {
    return outcome.find("residency_deadlock") != outcome.npos;
  })) << without.front();
}

TEST(AwaitingNvcc, CompilesAwaitingPrograms) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  for (space::Backend backend : backends_to_compile()) {
    ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
    ASSERT_TRUE(write_file(scratch.path() / "program.cu", text_of(gathered({}, backend), backend)));
    EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
  }
}

}  // namespace
}  // namespace cuco
