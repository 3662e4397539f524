// Runs the programs of tests/simulate on the virtual cluster. Comments in a program say what must come of it:
//   // expect: TEXT      "ok" is the verdict; anything else must be in the output
// CUCO_SCHEDULES in the environment sets how many schedules each runs under.
#include <algorithm>
#include <cstdlib>

#include "run_program.h"

namespace cuco {
namespace {

// Programs that carry the remark.
std::vector<std::filesystem::path> programs_in(const char* folder, std::string_view remark) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / "tests" / folder))
    if (entry.path().extension() == ".cu" && !remarks(*read_file(entry.path()), remark).empty())
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

uint32_t schedule_count() {
  const char* wanted = std::getenv("CUCO_SCHEDULES");
  return wanted ? static_cast<uint32_t>(std::atoi(wanted)) : 3;
}

class SimulatedProgram : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(SimulatedProgram, DoesWhatItsCommentsExpect) {
  ScratchFolder scratch = ScratchFolder::make("cuco-sim").value();
  vcluster::SimulationRequest request = request_for(GetParam(), scratch.path());
  request.schedule_count = schedule_count();
  vcluster::SimulationReport report = run(request);
  ASSERT_FALSE(report.schedules.empty());
  for (const vcluster::ScheduleResult& result : report.schedules)
    for (const std::string& expected : remarks(*read_file(GetParam()), "expect")) {
      bool met = expected == "ok" ? result.report.verdict == "ok" : result.output.find(expected) != std::string::npos;
      EXPECT_TRUE(met) << "expected " << expected << " from " << describe(result);
    }
}

std::string name_of(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  return replace_all(concat(info.param.parent_path().filename().string(), "_", info.param.stem().string()), "-", "_");
}

INSTANTIATE_TEST_SUITE_P(Programs, SimulatedProgram, ::testing::ValuesIn(programs_in("simulate", "expect")), name_of);

}  // namespace
}  // namespace cuco
