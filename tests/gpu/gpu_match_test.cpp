// Programs of match/ on real GPUs and on the virtual cluster, with the same inputs. Skipped where there is no GPU; that
// the virtual cluster runs them is seen everywhere.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "evaluate/judging/judge.h"
#include "gpu/judge.h"
#include "model/profile_toml.h"

namespace cuco::gpu {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CUCO_SOURCE_DIR) / "tests/gpu/match";
constexpr const char* kRunKey = "4711";

class GpuMatch : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    tools_ = evaluate::find_tools(share_folder().value(), RealEnvironment()).value();
    setting_.configuration.rank_count = 2;
    setting_.flags.include_folders = {kFolder};
    setting_.profile = model::load_profile(tools_.share / "profiles", "a100x4-nvlink").value();
    files_ = {{GetParam(), read_file(kFolder / GetParam()).value()}};
  }

  evaluate::Capture on_virtual_cluster() {
    evaluate::ConfinedProgram program = evaluate::ConfinedProgram::make(files_, setting_, tools_).value();
    Status built = program.build(evaluate::BuildKind::Timing);
    EXPECT_TRUE(built.ok()) << built.error().message;
    if (!built) return {};
    evaluate::RunOutcome outcome = program.run({evaluate::BuildKind::Timing, 0, kRunKey, 1, 2}).value();
    EXPECT_EQ(outcome.report.verdict, "ok");
    return outcome.capture;
  }

  RunOutcome on_gpu(Session& session, const Toolchain& toolchain) {
    Program program =
        Program::make(files_, setting_, tools_, toolchain, session.devices().front().architecture).value();
    Status built = program.build();
    EXPECT_TRUE(built.ok()) << built.error().message;
    RunRequest request;
    request.run_key = kRunKey;
    request.warmups = 1;
    request.iterations = 2;
    return built ? program.run(request, session).value() : RunOutcome{};
  }

  evaluate::Tools tools_;
  evaluate::ProgramSetting setting_;
  std::vector<SourceFile> files_;
  RealProcessRunner processes_;
  RealEnvironment environment_;
};

TEST_P(GpuMatch, VirtualClusterRunsIt) {
  for (const evaluate::Finding& finding : evaluate::judge_baseline(on_virtual_cluster())) ADD_FAILURE() << finding.text;
}

TEST_P(GpuMatch, OutputsAreThoseOfTheVirtualCluster) {
  Result<Toolchain> toolchain = find_toolchain(processes_, environment_);
  if (!toolchain) GTEST_SKIP() << toolchain.error().message;
  SessionRequest request;
  request.nccl_library = toolchain->nccl_library;
  Result<Session> session = Session::open(request, processes_, environment_);
  if (!session) GTEST_SKIP() << session.error().message;
  evaluate::Capture expected = on_virtual_cluster();
  RunOutcome outcome = on_gpu(*session, *toolchain);
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  EXPECT_TRUE(findings_of(outcome, files_).empty());
  for (const evaluate::Finding& finding : evaluate::compare(expected, outcome.capture)) ADD_FAILURE() << finding.text;
}

INSTANTIATE_TEST_SUITE_P(Programs, GpuMatch, ::testing::Values("elements.cu", "sum_gather.cu"));

}  // namespace
}  // namespace cuco::gpu
