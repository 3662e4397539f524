// The kernels of prompts/examples, in the programs beside this file: right and without a finding over many rounds in
// which no rank waits for another but by what the kernels themselves do.
#include "../simulate/run_program.h"

namespace cuco {
namespace {

class Example : public ::testing::TestWithParam<const char*> {};

vcluster::SimulationReport report_of(const std::filesystem::path& program, const std::filesystem::path& scratch) {
  vcluster::SimulationRequest request = request_for(program, scratch);
  request.build.check_plugin = vcluster::default_check_plugin().value();
  request.schedule_count = 4;
  request.time_limit_s = 60;
  return run(request);
}

TEST_P(Example, RunsWithoutAFinding) {
  ScratchFolder scratch = ScratchFolder::make("cuco-example").value();
  vcluster::SimulationReport report = report_of(kSource / "tests" / "prompts" / GetParam(), scratch.path());
  ASSERT_FALSE(report.schedules.empty());
  for (const vcluster::ScheduleResult& result : report.schedules)
    EXPECT_TRUE(result.report.verdict == "ok" && result.report.findings.empty()) << describe(result);
}

// The same without what waits for room, so that the run above is known to be able to fail.
TEST_P(Example, WithoutAWaitForRoomIsFound) {
  ScratchFolder scratch = ScratchFolder::make("cuco-example").value();
  const std::filesystem::path folder = kSource / "tests" / "prompts";
  std::string text = *read_file(folder / GetParam());
  for (const char* name : {"gin_chunks", "gin_puts", "lsa_counters", "lsa_stores"}) {
    std::string kernel = *read_file(kSource / "prompts" / "examples" / concat(name, ".cuh"));
    kernel = replace_all(kernel, "    gin.waitSignal(ncclCoopThread(), comm.nRanks + peer, round);\n", "");
    kernel = replace_all(kernel, "< round - 1)", "< 0)");
    kernel = replace_all(kernel, "  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);\n", "");
    text = replace_all(text, concat("#include \"../../prompts/examples/", name, ".cuh\"\n"), kernel);
  }
  text = replace_all(text, "../simulate", (kSource / "tests" / "simulate").string());
  ASSERT_TRUE(write_file(scratch.path() / GetParam(), text));
  vcluster::SimulationReport report = report_of(scratch.path() / GetParam(), scratch.path());
  size_t findings = 0;
  for (const vcluster::ScheduleResult& result : report.schedules) findings += result.report.findings.size();
  EXPECT_GT(findings, 0u);
}

INSTANTIATE_TEST_SUITE_P(Prompts, Example, ::testing::Values("lsa.cu", "gin.cu"),
                         [](const auto& tested) { return std::string(tested.param).substr(0, 3); });

}  // namespace
}  // namespace cuco
