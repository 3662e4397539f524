// Kernels that send what they write, message by message: the text, that the program does the same under the checkers at
// several rank counts, that the checkers find a fault in it, and what is left alone. One traced run is for all of it.
#include "fused_trial.h"
#include "nvcc_compile.h"

namespace cuco {
namespace {

constexpr uint64_t kPartBytes = 512;

Trial sends(space::Backend backend, uint32_t ranks) {
  return {kFolder / "fused_sends.cu", {}, {}, ranks, backend == space::Backend::Lsa ? 1u : 2u};
}

const model::AccessTrace& trace() {
  static const TracedRun run = traced_run(sends(space::Backend::Lsa, 4), space::Backend::Lsa);
  return run.trace;
}

Result<std::string> sent_by_kernels(const Trial& trial, space::Backend backend, const model::AccessTrace& traced) {
  return fused(trial, backend, &traced, space::SyncScope::ChunkSignal, kPartBytes);
}

std::string text_for(space::Backend backend) {
  Result<std::string> text = sent_by_kernels(sends(backend, 4), backend, trace());
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

TEST(FusedSendsText, KernelsLaunchesAndCallsAreWritten) {
  std::string text = text_for(space::Backend::Lsa);
  expect_in_order(
      text, {"__global__ void step_sending(const int* now, int* next, const device_comm::Sending fusing) {\n"
             "  device_comm::begin_sending<device_comm::Lsa>(fusing);\n  step_body(now, next, blockIdx);\n"
             "  device_comm::end_sending<device_comm::Lsa>(fusing, blockIdx);\n}",
             "device_comm::send({s1_exchange, 1, device_comm::Reach::Lsa, {device_comm::Placement::Deferred, "
             "device_comm::kNoLane, true, 512}}, field + kColumns,",
             "{{true, {8, 1, 1}, {64, 1, 1}, {{device_comm::behind(next, 256), {512, 0, 0}, 512, 512, 1, 4096}}}},",
             "step_sending<<<configuration_0, kColumns, 0, stream>>>(now, next, *fusing);",
             "step<<<configuration_0, kColumns, 0, stream>>>(now, next);",
             "produce_sending<<<", "stage_sending<<<"});
  EXPECT_EQ(text.find("begin_sending<device_comm::Lsa>(fusing);\n  begin_body"), text.npos);
}

struct Case {
  space::Backend backend;
  uint32_t ranks;
};
class FusedSends : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Backends, FusedSends,
                         ::testing::Values(Case{space::Backend::Lsa, 2}, Case{space::Backend::Lsa, 4},
                                           Case{space::Backend::Lsa, 8}, Case{space::Backend::Gin, 2},
                                           Case{space::Backend::Gin, 8}, Case{space::Backend::Hybrid, 4},
                                           Case{space::Backend::Hybrid, 8}));

TEST_P(FusedSends, MessagesArriveAsBefore) {
  auto [backend, ranks] = GetParam();
  std::string before = traced_run(sends(space::Backend::Lsa, ranks), space::Backend::Lsa).text;
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  EXPECT_EQ(fused_run(sends(backend, ranks), backend, text_for(backend), "", "", 2), before);
}

// The count of a part is raised while blocks are still to store theirs.
TEST(FusedSendsFaults, ACountThatIsRaisedTooEarlyIsFound) {
  std::string text = text_for(space::Backend::Lsa), before = traced_run(sends(space::Backend::Lsa, 4), space::Backend::Lsa).text;
  std::string found = fused_run(sends(space::Backend::Lsa, 4), space::Backend::Lsa, text,
                                "is_last_of(sending.counters->done[i], part.blocks)",
                                "is_last_of(sending.counters->done[i], 1)", 1);
  EXPECT_NE(found, before);
  EXPECT_NE(found.find("race"), found.npos) << found;
}

// What the program of the trace becomes with one text in place of another in it.
std::string reason_with(const std::string& from, const std::string& to) {
  ScratchFolder scratch = ScratchFolder::make("cuco-sends").value();
  Trial trial = changed(sends(space::Backend::Lsa, 4), scratch.path(), from, to);
  Result<std::string> text = sent_by_kernels(trial, space::Backend::Lsa, traced_run(trial, space::Backend::Lsa).trace);
  return text ? *text : text.error().message;
}

TEST(FusedSendsNvcc, CompilesPrograms) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's compiler is not here";
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", text_for(space::Backend::Hybrid)));
  EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
}

}  // namespace
}  // namespace cuco
