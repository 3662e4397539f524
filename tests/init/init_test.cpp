// Drafts a workload from every program of this folder, as its comments say:
//   // expect: harness          the harness is put in; the result runs under it without findings
//   // expect: plain TEXT       it is not, and TEXT is in the reason
//   // expect: error TEXT       the program is no workload
//   // expect: TEXT             among what was found
//   // expect-line: TEXT        a whole line of the program with its harness
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "evaluate/judging/judge.h"
#include "evaluate/plain/workload.h"
#include "lowering/lower.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

const std::filesystem::path kSource = CUCO_SOURCE_DIR;

std::vector<std::string> remarks(const std::string& text, std::string_view key) {
  std::vector<std::string> values;
  std::string prefix = concat("// ", key, ": ");
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with(prefix)) values.push_back(line.substr(prefix.size()));
  return values;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

evaluate::DraftRequest request_for(const std::filesystem::path& program) {
  evaluate::DraftRequest request;
  request.program.files = {program.string()};
  request.program.share = kSource;
  request.name = program.stem().string();
  request.profile = "a100x4-nvlink";
  return request;
}

void expect_runs_under_harness(const evaluate::Draft& draft) {
  ScratchFolder scratch = ScratchFolder::make("cuco-init-test").value();
  for (const auto& [name, text] : draft.files) ASSERT_TRUE(write_file(scratch.path() / name, text));
  vcluster::SimulationRequest request;
  request.build.files = {(scratch.path() / "program.cu").string()};
  request.build.share = kSource;
  request.build.folder = scratch.path();
  request.build.harness = true;
  request.build.check_plugin = vcluster::default_check_plugin().value();
  request.profile = kSource / "profiles" / "a100x4-nvlink.toml";
  request.runner = vcluster::default_runner().value();
  request.harness.capture = scratch.path() / "capture";
  RealProcessRunner processes;
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, lowering::lower_to_cpp, processes);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->schedules[0].report.verdict, "ok");
  for (const vcluster::RunFinding& finding : report->schedules[0].report.findings)
    ADD_FAILURE() << finding.kind << ": " << finding.text;
  EXPECT_TRUE(evaluate::judge_baseline(evaluate::read_capture(request.harness.capture).value()).empty());
}

void expect_fact(const evaluate::Draft& draft, const std::string& expected) {
  if (expected == "harness") {
    EXPECT_TRUE(draft.has_harness) << draft.found;
    expect_runs_under_harness(draft);
  } else if (expected.starts_with("plain ")) {
    EXPECT_FALSE(draft.has_harness);
    EXPECT_TRUE(has(draft.found, expected.substr(6))) << draft.found;
    EXPECT_TRUE(has(draft.files.at("workload.toml"), "plain = true\n"));
  } else {
    EXPECT_TRUE(has(draft.found, expected)) << draft.found;
    EXPECT_TRUE(has(draft.files.at("README.md"), expected));
  }
}

class InitProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(InitProgram, IsDraftedAsItsCommentsSay) {
  std::filesystem::path program = kSource / "tests" / "init" / (GetParam() + ".cu");
  std::string text = *read_file(program);
  Result<evaluate::Draft> draft = evaluate::draft_workload(request_for(program));
  ASSERT_FALSE(remarks(text, "expect").empty());
  for (const std::string& expected : remarks(text, "expect")) {
    ASSERT_EQ(!draft, expected.starts_with("error ")) << (draft ? draft->found : draft.error().message);
    if (!draft)
      EXPECT_TRUE(has(draft.error().message, expected.substr(6))) << draft.error().message;
    else
      expect_fact(*draft, expected);
  }
  for (const std::string& line : remarks(text, "expect-line"))
    EXPECT_TRUE(has(draft->files.at("program.cu"), "\n" + line + "\n")) << draft->files.at("program.cu");
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "tests" / "init"))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Init, InitProgram, ::testing::ValuesIn(programs()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace cuco
