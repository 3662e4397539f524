// Runs the programs of tests/simulate on the virtual cluster. Comments in a program say how:
//   // ranks: N          // nodes: N          // define: NAME=VALUE
//   // with: FILE         another source file of the program, beside this one
//   // expect: TEXT      "ok" is the verdict; anything else must be in the output
// CUCO_SCHEDULES in the environment sets how many schedules each runs under.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "frontend/lower.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

const std::filesystem::path kSource = CUCO_SOURCE_DIR;

std::vector<std::string> remarks(const std::string& text, std::string_view key) {
  std::vector<std::string> values;
  std::string prefix = concat("// ", key, ": ");
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with(prefix)) values.emplace_back(trim(std::string_view(line).substr(prefix.size())));
  return values;
}

// Programs that carry the remark.
std::vector<std::filesystem::path> programs_in(const char* folder, std::string_view remark) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / "tests" / folder))
    if (entry.path().extension() == ".cu" && !remarks(*read_file(entry.path()), remark).empty())
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

uint32_t number(const std::string& text, std::string_view key, uint32_t otherwise) {
  std::vector<std::string> values = remarks(text, key);
  return values.empty() ? otherwise : static_cast<uint32_t>(std::stoul(values.front()));
}

uint32_t schedule_count() {
  const char* wanted = std::getenv("CUCO_SCHEDULES");
  return wanted ? static_cast<uint32_t>(std::atoi(wanted)) : 3;
}

vcluster::SimulationReport run(const std::filesystem::path& program, const std::string& text, uint32_t schedules) {
  ScratchFolder scratch = ScratchFolder::make("cuco-sim").value();
  vcluster::SimulationRequest request;
  request.build.files = {program.string()};
  for (const std::string& file : remarks(text, "with"))
    request.build.files.push_back((program.parent_path() / file).string());
  request.build.definitions = remarks(text, "define");
  request.build.share = kSource;
  request.build.folder = scratch.path();
  request.rank_count = number(text, "ranks", 2);
  request.node_count = number(text, "nodes", 1);
  request.profile = kSource / "profiles" / (request.node_count > 1 ? "a100-2node-roce.toml" : "h100x8-nvlink.toml");
  request.schedule_count = schedules;
  request.time_limit_s = 10;
  Result<std::filesystem::path> runner = vcluster::default_runner();
  EXPECT_TRUE(runner) << runner.error().message;
  if (!runner) return {};
  request.runner = *runner;
  RealProcessRunner processes;
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, frontend::lower_to_cpp, processes);
  EXPECT_TRUE(report) << report.error().message;
  return report ? *report : vcluster::SimulationReport{};
}

std::string describe(const vcluster::ScheduleResult& result) {
  std::string text = concat("seed ", result.seed, ": ", result.report.verdict, "\n", result.output);
  for (const vcluster::RunFinding& finding : result.report.findings)
    text += concat(finding.kind, " rank ", finding.rank, ": ", finding.text, "\n");
  return text;
}

class SimulatedProgram : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(SimulatedProgram, DoesWhatItsCommentsExpect) {
  std::string text = *read_file(GetParam());
  vcluster::SimulationReport report = run(GetParam(), text, schedule_count());
  ASSERT_FALSE(report.schedules.empty());
  for (const vcluster::ScheduleResult& result : report.schedules)
    for (const std::string& expected : remarks(text, "expect")) {
      bool met = expected == "ok" ? result.report.verdict == "ok" : result.output.find(expected) != std::string::npos;
      EXPECT_TRUE(met) << "expected " << expected << " from " << describe(result);
    }
}

TEST_P(SimulatedProgram, RepeatsToTheByte) {
  std::string text = *read_file(GetParam());
  vcluster::SimulationReport first = run(GetParam(), text, 1);
  vcluster::SimulationReport second = run(GetParam(), text, 1);
  ASSERT_FALSE(first.schedules.empty() || second.schedules.empty());
  EXPECT_EQ(first.schedules[0].output, second.schedules[0].output);
  EXPECT_EQ(to_text(first.schedules[0].report), to_text(second.schedules[0].report));
}

std::string name_of(const testing::TestParamInfo<std::filesystem::path>& info) {
  return replace_all(concat(info.param.parent_path().filename().string(), "_", info.param.stem().string()), "-", "_");
}

INSTANTIATE_TEST_SUITE_P(Programs, SimulatedProgram, testing::ValuesIn(programs_in("simulate", "expect")), name_of);

}  // namespace
}  // namespace cuco
