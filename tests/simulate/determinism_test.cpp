// A run is a function of the program and the seed: what it prints, its report with all times and findings, and its
// trace are the same to the byte every time, also when it is built again. Half of the runs are of the checking build.
#include "run_program.h"

namespace cuco {
namespace {

constexpr int kRuns = 5;
constexpr uint64_t kSeed = 7;  // Not 0: everything that a seed draws takes part.

struct Case {
  const char* program;
  bool checks;
};

constexpr Case kCases[] = {
    {"simulate/cooperative_groups.cu", false},
    {"simulate/gin_alltoall.cu", false},
    {"simulate/gin_pipeline.cu", false},
    {"simulate/host_collectives.cu", false},
    {"simulate/ll_alltoall.cu", false},
    {"simulate/lsa_allreduce_threads.cu", false},
    {"simulate/mpi_messages.cu", false},
    {"simulate/one_process_all_devices.cu", false},
    {"simulate/streams_events.cu", false},
    {"simulate/warp_divergence.cu", false},
    {"simulate/multimem_ptx.cu", true},
    {"verify/window_race/ring_with_one_slot_bad.cu", true},
    {"verify/gpu_race/bins_cleared_without_barrier_bad.cu", true},
    {"verify/missing_fence/fence_on_the_wrong_side_bad.cu", true},
    {"verify/source_reuse/contexts_round_robin_bad.cu", true},
    {"verify/signal_accounting/reset_without_credit_bad.cu", true},
    {"verify/host_race/other_slot_waited_for_bad.cu", true},
    {"verify/unwritten_read/half_of_the_table_broadcast_bad.cu", true},
    {"verify/deadlock/rows_and_columns_cross_bad.cu", false},
    {"verify/no_progress/list_push_keeps_old_head_bad.cu", false},
};
static_assert(std::size(kCases) == 20);

// All that a run leaves behind.
struct Traces {
  std::string output, report, trace;
  bool operator==(const Traces&) const = default;
};

Traces run_once(const vcluster::SimulationRequest& request, bool builds_anew) {
  vcluster::SimulationReport report = run(request, builds_anew);
  if (report.schedules.empty()) return {};
  Result<std::string> trace = read_file(request.trace);
  return {report.schedules[0].output, to_text(report.schedules[0].report), trace ? *trace : ""};
}

class RepeatedProgram : public ::testing::TestWithParam<Case> {};

TEST_P(RepeatedProgram, IsTheSameToTheByte) {
  ScratchFolder scratch = ScratchFolder::make("cuco-sim").value();
  vcluster::SimulationRequest request = request_for(kSource / "tests" / GetParam().program, scratch.path());
  request.seed = kSeed;
  request.trace = scratch.path() / "trace.json";
  if (GetParam().checks) request.build.check_plugin = vcluster::default_check_plugin().value();
  Traces first = run_once(request, false);
  EXPECT_FALSE(first.report.empty() || first.trace.empty());
  for (int i = 1; i < kRuns; i++) {
    Traces again = run_once(request, i == 1);
    EXPECT_EQ(again.output, first.output);
    EXPECT_EQ(again.report, first.report);
    EXPECT_TRUE(again.trace == first.trace);
  }
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return std::filesystem::path(info.param.program).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Programs, RepeatedProgram, ::testing::ValuesIn(kCases), name_of);

}  // namespace
}  // namespace cuco
