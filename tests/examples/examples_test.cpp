// The programs of examples/ give the right result without a finding on the virtual cluster, and so do those of this
// folder. Copies with a fault are found, so that the runs are known to be able to fail.
#include <algorithm>
#include <array>

#include "../simulate/run_program.h"
#include "testing/share.h"

namespace cuco {
namespace {

struct Ways {
  const char* path = "Lsa";
  uint32_t ranks = 2;
};

vcluster::SimulationReport report_of(const std::filesystem::path& program, const Ways& ways, uint32_t schedules = 4) {
  ScratchFolder scratch = ScratchFolder::make("cuco-example").value();
  vcluster::SimulationRequest request = request_for(program, scratch.path());
  bool is_near = std::string_view(ways.path) == "Lsa";
  request.build.flags.definitions.push_back(concat("EXAMPLE_PATH=", ways.path));
  request.build.check_plugin = vcluster::default_check_plugin().value();
  request.rank_count = ways.ranks;
  request.node_count = is_near ? 1 : ways.ranks % 2 == 0 ? 2 : ways.ranks;
  if (!is_near) request.profile = kSource / "profiles" / "a100-2node-roce.toml";
  request.schedule_count = schedules;
  request.time_limit_s = 60;
  return run(request);
}

class Example : public ::testing::TestWithParam<const char*> {
 protected:
  std::filesystem::path program() const { return kSource / "examples" / GetParam(); }
};

constexpr const char* kPrograms[] = {"gemm_all_gather.cu", "ring_attention.cu", "moe_dispatch_combine.cu",
                                     "halo_exchange.cu", "all_reduce_rmsnorm.cu"};

// Every program with every path; each pair at one of the numbers of ranks, and at all of them with --all.
TEST_P(Example, RunsWithoutAFinding) {
  const bool all = testing::runs_all_cases();
  size_t turn = static_cast<size_t>(std::find(std::begin(kPrograms), std::end(kPrograms), GetParam()) - kPrograms);
  for (const char* path : {"Lsa", "Gin", "Hybrid"}) {
    const size_t chosen = turn++ % 4;
    for (size_t i = 0; i < 4; i++) {
      const uint32_t ranks = std::array<uint32_t, 4>{2, 3, 4, 8}[i];
      if (!all && i != chosen) continue;
      for (const vcluster::ScheduleResult& result : report_of(program(), {path, ranks}, all ? 16 : 4).schedules)
        EXPECT_TRUE(result.report.verdict == "ok" && result.report.findings.empty())
            << path << ", " << ranks << " ranks: " << describe(result);
    }
  }
}

TEST_P(Example, HasAtMost200Lines) { EXPECT_LE(split(*read_file(program()), '\n').size(), 200u); }

INSTANTIATE_TEST_SUITE_P(Examples, Example, ::testing::ValuesIn(kPrograms), [](const auto& tested) {
  std::string name = tested.param;
  return name.substr(0, name.find('.'));
});

std::filesystem::path place_of(const std::string& name) {
  std::filesystem::path example = kSource / "examples" / name;
  return std::filesystem::exists(example) ? example : kSource / "tests" / "examples" / name;
}

// The program with one text of it in place of another.
vcluster::SimulationReport report_with(const std::string& name, const std::string& from, const std::string& to,
                                       uint32_t schedules = 4, const Ways& ways = {}) {
  ScratchFolder scratch = ScratchFolder::make("cuco-example").value();
  std::string text = *read_file(place_of(name));
  EXPECT_NE(text.find(from), std::string::npos);
  EXPECT_TRUE(write_file(scratch.path() / "ranks.h", *read_file(kSource / "examples" / "ranks.h")));
  EXPECT_TRUE(write_file(scratch.path() / name, replace_all(text, from, to)));
  return report_of(scratch.path() / name, ways, schedules);
}
size_t findings_with(const std::string& name, const std::string& from, const std::string& to) {
  size_t findings = 0;
  for (const vcluster::ScheduleResult& result : report_with(name, from, to).schedules)
    findings += result.report.findings.size();
  return findings;
}
size_t findings_without(const std::string& name, const std::string& removed) {
  return findings_with(name, removed, "");
}

constexpr const char* kFallback = "cuco::comm: a kernel does not communicate what it writes: ";

// Three rounds and one line: the result is right, and each of two ranks says why nothing was fused.
void expect_said_once(const std::string& from, const std::string& to, const std::string& reason,
                      const std::string& program = "gemm_all_gather.cu") {
  vcluster::SimulationReport report = report_with(program, from, to, 1);
  ASSERT_EQ(report.schedules.size(), 1u);
  EXPECT_EQ(report.schedules[0].report.verdict, "ok") << describe(report.schedules[0]);
  std::vector<std::string> lines = split(report.schedules[0].output, '\n');
  EXPECT_EQ(std::count(lines.begin(), lines.end(), kFallback + reason), 2) << report.schedules[0].output;
}

TEST(Fallback, TilesThatDoNotFillTheMessageAreSaid) {
  expect_said_once(".message(kRows * pitch)", ".message(kRows * pitch / 2)", "its tiles do not fill the message");
}

TEST(Fallback, AKernelThatWritesElsewhereIsSaid) {
  expect_said_once("comm::pointers_of(c)", "comm::pointers_of(c + 16)",
                   "none of its pointers leads to where the messages of the call begin");
}

TEST(Fallback, APlanThatNoLaunchFitsIsSaid) {
  expect_said_once("comm::Shape()", "comm::Shape().on_grid(1, 1, 1)",
                   "no launch has the grid and block that it is made for");
}

TEST(Fallback, APlanOfSendsThatNoLaunchFitsIsSaid) {
  expect_said_once("comm::Shape()", "comm::Shape().when(false)", "no launch has the grid and block that it is made for",
                   "one_kernel_sends.cu");
}

// The near miss.
TEST(Fallback, NothingIsSaidOfALaunchThatIsFused) {
  vcluster::SimulationReport report = report_with("gemm_all_gather.cu", "comm::Shape()", "comm::Shape()", 1);
  EXPECT_EQ(report.schedules.at(0).report.verdict, "ok");
  EXPECT_EQ(report.schedules.at(0).output.find(kFallback), std::string::npos);
}

// Without a line: each launch in front of a call sends.
TEST(OneKernel, SendsAndRunsAsWritten) {
  for (const Ways& ways : {Ways{"Lsa", 3}, Ways{"Gin", 2}, Ways{"Hybrid", 4}})
    for (const auto& result : report_with("one_kernel_sends.cu", "kRounds = 3", "kRounds = 3", 4, ways).schedules) {
      EXPECT_TRUE(result.report.verdict == "ok" && result.report.findings.empty()) << ways.path << describe(result);
      EXPECT_EQ(result.output.find(kFallback), std::string::npos) << result.output;
    }
}

TEST(ExampleFaults, ASendOfWhatTheBlockHasYetToWriteIsFound) {
  const std::string write = "  out[i] = value(rank, round, i);\n",
                    end = "  comm::end_sending<Path>(fused, blockIdx);\n";
  EXPECT_GT(findings_with("one_kernel_sends.cu", write + end, end + write), 0u);
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
