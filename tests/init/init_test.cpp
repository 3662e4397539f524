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
#include "evaluate/workload.h"
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

// The drafted workload as a user would have it: from its folder alone.
evaluate::Workload written(const evaluate::Draft& draft, const std::filesystem::path& folder) {
  for (const auto& [name, text] : draft.files) {
    std::filesystem::create_directories((folder / name).parent_path());
    EXPECT_TRUE(write_file(folder / name, text));
  }
  Result<evaluate::Workload> workload = evaluate::load_workload(folder);
  EXPECT_TRUE(workload) << workload.error().message << draft.files.at("workload.toml");
  return workload ? *workload : evaluate::Workload();
}

void expect_runs_under_harness(const evaluate::Draft& draft) {
  ScratchFolder scratch = ScratchFolder::make("cuco-init-test").value();
  evaluate::Workload workload = written(draft, scratch.path());
  vcluster::SimulationRequest request;
  for (const std::filesystem::path& file : workload.files) request.build.files.push_back(file.string());
  request.build.flags = workload.flags;
  request.arguments = evaluate::program_arguments(workload.configurations.front());
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
    EXPECT_TRUE(has(draft->files.at(GetParam() + ".cu"), "\n" + line + "\n")) << draft->files.at(GetParam() + ".cu");
}

class InitFolders : public ::testing::Test {
 protected:
  InitFolders() {
    request_.program.files = {(kFolder / "main.cpp").string(), (kFolder / "src" / "step.cu").string()};
    request_.program.share = kSource;
    request_.program.flags.include_folders = {(kFolder / "include").string()};
    request_.program.flags.definitions = {"FACTOR=3"};
    request_.program.flags.standard = "c++20";
    request_.arguments = {"--rows", "4", "--columns", "32"};
    request_.name = "folders", request_.profile = "a100x4-nvlink", request_.rank_count = 2;
  }

  const std::filesystem::path kFolder = kSource / "tests" / "init" / "in_folders";
  evaluate::DraftRequest request_;
};

TEST_F(InitFolders, FilesFlagsAndArgumentsAreThoseOfTheProgram) {
  request_.why_plain = "as asked for";
  evaluate::Draft draft = evaluate::draft_workload(request_).value();
  std::vector<std::string> names;
  for (const auto& [name, text] : draft.files) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"README.md", "include/step.h", "include/wide.h", "main.cpp", "src/step.cu",
                                             "workload.toml"}));
  EXPECT_EQ(draft.files.at("main.cpp"), *read_file(kFolder / "main.cpp"));
  ScratchFolder scratch = ScratchFolder::make("cuco-init-test").value();
  evaluate::Workload workload = written(draft, scratch.path());
  EXPECT_TRUE(workload.plain);
  EXPECT_EQ(workload.files, (std::vector{scratch.path() / "main.cpp", scratch.path() / "src/step.cu"}));
  EXPECT_EQ(workload.flags.include_folders, std::vector{(scratch.path() / "include").string()});
  EXPECT_EQ(workload.flags.definitions, std::vector<std::string>{"FACTOR=3"});
  EXPECT_EQ(workload.flags.standard, "c++20");
  EXPECT_EQ(evaluate::program_arguments(workload.configurations.front()), request_.arguments);
}

TEST_F(InitFolders, RankAndSizesAreFoundInStructsAndOtherFiles) {
  evaluate::Draft draft = evaluate::draft_workload(request_).value();
  ASSERT_TRUE(draft.has_harness) << draft.found;
  const std::string& text = draft.files.at("main.cpp");
  EXPECT_TRUE(has(text, "MPI_Comm_rank(MPI_COMM_WORLD, &harness_rank);")) << text;
  EXPECT_TRUE(has(text, "harness.input(\"mine\", mine, int64_t{1} * ")) << text;
  expect_runs_under_harness(draft);
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
