// A kernel and the all-gather of what it writes, cut as a traced run allows: the text, and that the program does the
// same under the checkers.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "frontend/lower.h"
#include "trial.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

struct SlicedRun {
  std::string text;  // Sorted lines, the verdict, the findings.
  model::AccessTrace trace;
};

SlicedRun run_of(const Trial& trial, space::Backend backend) {
  ScratchFolder scratch = ScratchFolder::make("cuco-slices").value();
  vcluster::SimulationRequest request;
  request.build.files = {trial.program.string()};
  request.build.include_folders = {kFolder.string()};
  request.build.definitions = trial.definitions;
  request.build.share = kSource;
  request.build.folder = scratch.path();
  request.build.check_plugin = *vcluster::default_check_plugin();
  request.rank_count = trial.ranks;
  request.node_count = trial.nodes;
  request.profile = kSource / "profiles" / (profile_for(backend) + ".toml");
  request.seed = 1;
  request.runner = *vcluster::default_runner();
  request.accesses = scratch.path() / "accesses";
  RealProcessRunner processes;
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, frontend::lower_to_cpp, processes);
  if (!report) return {report.error().message, {}};
  std::vector<std::string> lines = split(report->schedules[0].output, '\n');
  std::sort(lines.begin(), lines.end());
  std::string text = concat(join(lines, "\n"), "\n", report->schedules[0].report.verdict);
  for (const vcluster::RunFinding& finding : report->schedules[0].report.findings)
    text += concat("\n", finding.kind, ": ", finding.text);
  Result<std::string> accesses = read_file(request.accesses);
  Result<model::AccessTrace> trace = model::parse_access_trace(accesses ? *accesses : "");
  EXPECT_TRUE(trace);
  return {text, trace ? *trace : model::AccessTrace{}};
}

Trial tiled(std::vector<std::string> definitions, space::Backend backend = space::Backend::Lsa) {
  return {kFolder / "tiled_gather.cu", std::move(definitions), {}, 4, backend == space::Backend::Lsa ? 1u : 2u};
}

// In chunks of a quarter of a message.
Result<std::string> sliced(const Trial& trial, space::Backend backend, const model::AccessTrace& trace) {
  frontend::ParseRequest parse;
  parse.files = {trial.program.string()};
  parse.definitions = trial.definitions;
  parse.share = kSource;
  Result<model::Program> program = frontend::read_program(parse);
  if (!program) return program.error();
  model::CommGraph graph = model::build_comm_graph(*program);
  std::vector<space::SiteFacts> sites = space::all_site_facts(*program, graph);
  space::Plan plan{
      {{"s1", {backend, space::Placement::Stream, space::SyncScope::ChunkSignal, space::Issuer::Cta, 2048}}}, {}};
  std::vector<rewrite::Source> sources;
  for (const model::SourceFile& file : program->files) sources.push_back({file.path, *read_file(file.path)});
  rewrite::Request request{*program, graph, sites, plan, sources};
  request.accesses = &trace;
  Result<rewrite::Rewritten> result = rewrite::rewrite(request);
  if (!result) return result.error();
  return result->sources[0].text;
}

std::string text_of(const Trial& trial) {
  Result<std::string> text = sliced(trial, space::Backend::Lsa, run_of(trial, space::Backend::Lsa).trace);
  return text ? *text : text.error().message;
}

TEST(SlicedText, LaunchKernelAndCallAreCut) {
  std::string text = text_of(tiled({}));
  size_t at = 0;
  for (const char* fragment :
       {"__global__ void fill(float* out, int rank, int round, device_comm::Blocks blocks) {\n",
        "  [[maybe_unused]] const uint3 blockIdx = blocks.index();\n",
        "  [[maybe_unused]] const dim3 gridDim = blocks.extent();\n",
        "for (const device_comm::Slice& slice : device_comm::Slices(4, 1, grid, stream))\n",
        "fill<<<slice.grid, kTile, 0, slice.stream>>>(out, rank, round, slice.blocks);\n",
        "fill<<<dim3(1, 1), kTile, 0, stream>>>(out, rank, 0, device_comm::Blocks());\n",
        "device_comm::all_gather({s1_all_gather, 1, device_comm::Reach::Lsa, {}, device_comm::Issue::Block, {4, 0}}, own, all,"}) {
    size_t found = text.find(fragment, at);
    ASSERT_NE(found, text.npos) << fragment << " is not in\n" << text.substr(at);
    at = found;
  }
}

TEST(SlicedText, ColumnsAreSentInPiecesOfRows) {
  EXPECT_NE(text_of(tiled({"SHAPE=1"})).find("device_comm::Reach::Lsa, {}, device_comm::Issue::Block, {4, 128}}"), std::string::npos);
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

class Sliced : public ::testing::TestWithParam<space::Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, Sliced,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid));

TEST_P(Sliced, RowsAndColumnsArriveAsBefore) {
  for (const char* shape : {"SHAPE=0", "SHAPE=1"}) {
    SCOPED_TRACE(shape);
    Trial trial = tiled({shape}, GetParam());
    SlicedRun before = run_of(trial, GetParam());
    ASSERT_TRUE(before.text.ends_with("\nok")) << before.text;
    Result<std::string> text = sliced(trial, GetParam(), before.trace);
    ASSERT_TRUE(text) << text.error().message;
    ScratchFolder scratch = ScratchFolder::make("cuco-sliced").value();
    trial.program = scratch.path() / "tiled_gather.cu";
    ASSERT_TRUE(write_file(trial.program, *text));
    EXPECT_EQ(run_of(trial, GetParam()).text, before.text);
  }
}

}  // namespace
}  // namespace cuco
