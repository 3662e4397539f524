// Programs that crash, hang or take all they can get: each ends within its limit, with a verdict that says what it did.
// Comments in the programs of tests/simulate/bad_input:
//   // verdict: WORD     // finding: TEXT that some finding must contain
#include <algorithm>

#include "run_program.h"

namespace cuco {
namespace {

std::vector<std::filesystem::path> bad_programs() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "tests" / "simulate" / "bad_input"))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

bool says(const vcluster::RunReport& report, const std::string& text) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const vcluster::RunFinding& finding) {
    return concat(finding.kind, ": ", finding.text).find(text) != std::string::npos;
  });
}

class BadProgram : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(BadProgram, EndsWithAVerdict) {
  std::string text = *read_file(GetParam());
  ScratchFolder scratch = ScratchFolder::make("cuco-sim").value();
  vcluster::SimulationRequest request = request_for(GetParam(), scratch.path());
  request.time_limit_s = 2;
  request.memory_mib_max = 1024;
  vcluster::SimulationReport report = run(request);
  ASSERT_EQ(report.schedules.size(), 1u);
  const vcluster::ScheduleResult& result = report.schedules[0];
  EXPECT_EQ(result.report.verdict, remarks(text, "verdict").front()) << describe(result);
  for (const std::string& finding : remarks(text, "finding"))
    EXPECT_TRUE(says(result.report, finding)) << "expected " << finding << " from " << describe(result);
}

std::string name_of(const ::testing::TestParamInfo<std::filesystem::path>& info) { return info.param.stem().string(); }

INSTANTIATE_TEST_SUITE_P(Programs, BadProgram, ::testing::ValuesIn(bad_programs()), name_of);

}  // namespace
}  // namespace cuco
