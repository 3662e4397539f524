// The programs of examples/ give the right result without a finding on the virtual cluster. Copies with a fault are
// found, so that the runs are known to be able to fail.
#include "../simulate/run_program.h"

namespace cuco {
namespace {

vcluster::SimulationReport report_of(const std::filesystem::path& program, uint32_t ranks) {
  ScratchFolder scratch = ScratchFolder::make("cuco-example").value();
  vcluster::SimulationRequest request = request_for(program, scratch.path());
  request.build.check_plugin = vcluster::default_check_plugin().value();
  request.rank_count = ranks;
  request.schedule_count = 4;
  request.time_limit_s = 60;
  return run(request);
}

class Example : public ::testing::TestWithParam<const char*> {
 protected:
  std::filesystem::path program() const { return kSource / "examples" / GetParam(); }
};

TEST_P(Example, RunsWithoutAFinding) {
  for (uint32_t ranks : {2, 4}) {
    vcluster::SimulationReport report = report_of(program(), ranks);
    ASSERT_EQ(report.schedules.size(), 4u);
    for (const vcluster::ScheduleResult& result : report.schedules)
      EXPECT_TRUE(result.report.verdict == "ok" && result.report.findings.empty()) << describe(result);
  }
}

TEST_P(Example, HasAtMost200Lines) { EXPECT_LE(split(*read_file(program()), '\n').size(), 200u); }

INSTANTIATE_TEST_SUITE_P(Examples, Example,
                         ::testing::Values("gemm_all_gather.cu", "ring_attention.cu", "moe_dispatch_combine.cu",
                                           "halo_exchange.cu", "all_reduce_rmsnorm.cu"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           return name.substr(0, name.find('.'));
                         });

// The program without some text of it.
size_t findings_without(const std::string& name, const std::string& removed) {
  ScratchFolder scratch = ScratchFolder::make("cuco-example").value();
  std::string text = *read_file(kSource / "examples" / name);
  EXPECT_NE(text.find(removed), std::string::npos);
  EXPECT_TRUE(write_file(scratch.path() / "ranks.h", *read_file(kSource / "examples" / "ranks.h")));
  EXPECT_TRUE(write_file(scratch.path() / name, replace_all(text, removed, "")));
  size_t findings = 0;
  for (const vcluster::ScheduleResult& result : report_of(scratch.path() / name, 2).schedules)
    findings += result.report.findings.size();
  return findings;
}

TEST(ExampleFaults, ABlockThatNobodyWaitsForIsFound) {
  EXPECT_GT(findings_without("ring_attention.cu", "comm::before(ranks.stream, {comm::reads(block)});"), 0u);
}

// The peers are told that rows may come, and get rows, before the kernel in front of the exchange is done with them.
TEST(ExampleFaults, AnAnnouncementOfRowsInUseIsFound) {
  EXPECT_GT(findings_without("halo_exchange.cu", "comm::after(ranks.stream, uses_of_ends(from, to));"), 0u);
}

}  // namespace
}  // namespace cuco
