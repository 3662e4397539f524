// Programs of tests/rewrite before and after rewriting print the same. The plan is the fast path with one backend for
// all sites. CUCO_MATRIX=all runs the whole matrix of collectives, types, counts and ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "frontend/lower.h"
#include "trial.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

// What the program printed, sorted, because ranks print in the order in which they come; then everything against it.
std::string outcome(const Trial& trial, space::Backend backend) {
  ScratchFolder scratch = ScratchFolder::make("cuco-rewrite").value();
  vcluster::SimulationRequest request;
  request.build.files = {trial.program.string()};
  request.build.include_folders = {kFolder.string()};
  request.build.definitions = trial.definitions;
  request.build.share = kSource;
  request.build.folder = scratch.path();
  if (trial.check) request.build.check_plugin = *vcluster::default_check_plugin();
  request.arguments = trial.arguments;
  request.rank_count = trial.ranks;
  request.node_count = trial.nodes;
  request.profile = kSource / "profiles" / (profile_for(backend) + ".toml");
  request.seed = trial.check ? 1 : 0;
  request.runner = *vcluster::default_runner();
  RealProcessRunner processes;
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, frontend::lower_to_cpp, processes);
  if (!report) return report.error().message;
  const vcluster::ScheduleResult& schedule = report->schedules[0];
  std::vector<std::string> lines = split(schedule.output, '\n');
  std::sort(lines.begin(), lines.end());
  std::string text = concat(join(lines, "\n"), "\n", schedule.report.verdict);
  for (const vcluster::RunFinding& finding : schedule.report.findings)
    text += concat("\n", finding.kind, ": ", finding.text);
  return text;
}

void expect_same(Trial trial, space::Backend backend) {
  std::string before = outcome(trial, backend);
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  Result<std::string> text = rewritten(trial, backend);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->find("ncclSend("), std::string::npos);
  ScratchFolder scratch = ScratchFolder::make("cuco-rewritten").value();
  trial.program = scratch.path() / trial.program.filename();
  ASSERT_TRUE(write_file(trial.program, *text));
  trial.check = true;
  EXPECT_EQ(outcome(trial, backend), before);
}

std::string backend_name(const ::testing::TestParamInfo<space::Backend>& info) {
  return info.param == space::Backend::Lsa ? "Lsa" : info.param == space::Backend::Gin ? "Gin" : "Hybrid";
}

class Rewritten : public ::testing::TestWithParam<space::Backend> {
 protected:
  // On one node for load and store, otherwise on two.
  Trial of(const char* program) const {
    return {kFolder / program, {}, {}, 4, GetParam() == space::Backend::Lsa ? 1u : 2u};
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, Rewritten,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid),
                         backend_name);

TEST_P(Rewritten, UnevenMessagesArriveWhereTheReceiverWants) { expect_same(of("uneven_all_to_all.cu"), GetParam()); }
TEST_P(Rewritten, PipelineWithoutGroupsKeepsItsOrder) { expect_same(of("pipeline_of_ranks.cu"), GetParam()); }
TEST_P(Rewritten, SplitCommunicatorsCountApart) { expect_same(of("split_grid.cu"), GetParam()); }
TEST_P(Rewritten, ThreadsAsRanksKeepTheirWindowsApart) {
  Trial trial = of("ring_of_threads.cu");
  trial.nodes = 1;
  expect_same(trial, GetParam());
}

struct MatrixCase {
  int call, element;
  uint32_t ranks;
  const char* largest;
};

bool whole_matrix() {
  const char* wanted = std::getenv("CUCO_MATRIX");
  return wanted && std::string(wanted) == "all";
}

// Every collective and every type; all combinations when asked for.
std::vector<MatrixCase> matrix() {
  std::vector<MatrixCase> cases;
  for (int call = 0; call < 8; call++)
    for (int element = 0; element < 4; element++)
      for (uint32_t ranks : {2u, 3u, 5u, 8u})
        for (const char* largest : {"4096", "1000003"}) {
          bool in_share = element == call % 4 && ranks == (call % 2 ? 3u : 5u) && std::string(largest) == "4096";
          if (whole_matrix() || in_share) cases.push_back({call, element, ranks, largest});
        }
  return cases;
}

class CollectivesMatrix : public ::testing::TestWithParam<space::Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, CollectivesMatrix, ::testing::Values(space::Backend::Lsa, space::Backend::Gin),
                         backend_name);

TEST_P(CollectivesMatrix, GivesWhatTheHostCollectivesGive) {
  for (const MatrixCase& one : matrix()) {
    SCOPED_TRACE(concat("call ", one.call, ", element ", one.element, ", ", one.ranks, " ranks, ", one.largest));
    Trial trial{kFolder / "matrix.cu",
                {concat("CALL=", one.call), concat("ELEMENT=", one.element)},
                {one.largest},
                one.ranks,
                GetParam() == space::Backend::Lsa ? 1u : one.ranks};
    expect_same(trial, GetParam());
  }
}

}  // namespace
}  // namespace cuco
