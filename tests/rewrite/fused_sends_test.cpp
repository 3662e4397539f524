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
      text, {"__global__ void step_sending(const int* now, int* next, const cuco::comm::FusedMessages fused) {\n"
             "  cuco::comm::begin_sending<cuco::comm::Lsa>(fused);\n  step_body(now, next, blockIdx);\n"
             "  cuco::comm::end_sending<cuco::comm::Lsa>(fused, blockIdx);\n}",
             "cuco::comm::send(cuco::comm::lsa<1>.sent_by_writers(512), field + kColumns,",
             "{cuco::comm::Shape().on_grid(8, 1, 1).of_threads(64, 1, 1).writes(cuco::comm::offset_by(next, 256), "
             "cuco::comm::Tiles().step(512, 0, 0).piece(512), 4096)},",
             "step_sending<<<configuration_0, kColumns, 0, stream>>>(now, next, *fused);",
             "step<<<configuration_0, kColumns, 0, stream>>>(now, next);", "produce_sending<<<", "stage_sending<<<"});
  EXPECT_EQ(text.find("begin_sending<cuco::comm::Lsa>(fused);\n  begin_body"), text.npos);
}

struct Case {
  space::Backend backend;
  uint32_t ranks;
};
class FusedSends : public testing::SharedOut<Case> {};
INSTANTIATE_TEST_SUITE_P(Backends, FusedSends,
                         ::testing::Values(Case{space::Backend::Lsa, 2}, Case{space::Backend::Lsa, 4},
                                           Case{space::Backend::Lsa, 8}, Case{space::Backend::Gin, 2},
                                           Case{space::Backend::Gin, 8}, Case{space::Backend::Hybrid, 4},
                                           Case{space::Backend::Hybrid, 8}));

TEST_P(FusedSends, MessagesArriveAsBefore) {
  auto [backend, ranks] = GetParam();
  std::string before = traced_run(sends(space::Backend::Lsa, ranks), space::Backend::Lsa).text;
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  EXPECT_EQ(fused_run(sends(backend, ranks), backend, text_for(backend), "", "", ranks < 8 ? 2 : 1), before);
}

// Kernels send what they write, and their blocks wait for what they read.
std::string text_of_both(space::Backend backend) {
  Wish wish{{backend, space::Placement::TileFused, space::SyncScope::ChunkSignal, space::Issuer::Cta, kPartBytes}};
  wish.schedule.waits = space::Waits::Blocks;
  Result<std::string> text = rewritten(sends(backend, 4), wish, &trace());
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

TEST(FusedSendsText, AKernelSendsAndWaits) {
  expect_in_order(
      text_of_both(space::Backend::Lsa),
      {"__global__ void stage_waiting_sending(const double* in, double* out, int count, int rank, "
       "const cuco::comm::BlockWaits waits, const cuco::comm::FusedMessages fused) {\n"
       "  cuco::comm::begin_sending<cuco::comm::Lsa>(fused);\n"
       "  const uint3 block = cuco::comm::wait_for_inputs<cuco::comm::Lsa>(waits);\n"
       "  stage_body(in, out, count, rank, block);\n"
       "  cuco::comm::end_sending<cuco::comm::Lsa>(fused, block);\n}",
       "const cuco::comm::BlockWaits waits = cuco::comm::before_blocks(",
       "stage_waiting_sending<<<12, 128, 0, stream>>>(in, out, kCount, argument_3, waits, *fused);",
       "stage_waiting<<<12, 128, 0, stream>>>(in, out, kCount, argument_3, waits);", "cuco::comm::after_blocks("});
}

class FusedBothWays : public testing::SharedOut<Case> {};
INSTANTIATE_TEST_SUITE_P(Backends, FusedBothWays,
                         ::testing::Values(Case{space::Backend::Lsa, 4}, Case{space::Backend::Gin, 2},
                                           Case{space::Backend::Hybrid, 8}));

TEST_P(FusedBothWays, MessagesArriveAsBefore) {
  auto [backend, ranks] = GetParam();
  std::string before = traced_run(sends(space::Backend::Lsa, ranks), space::Backend::Lsa).text;
  EXPECT_EQ(fused_run(sends(backend, ranks), backend, text_of_both(backend), "", "", 1), before);
}

std::string run_with(const std::string& from, const std::string& to) {
  return fused_run(sends(space::Backend::Lsa, 4), space::Backend::Lsa, text_for(space::Backend::Lsa), from, to, 1);
}
std::string run_before() { return traced_run(sends(space::Backend::Lsa, 4), space::Backend::Lsa).text; }

TEST(FusedSendsFaults, ACountThatIsRaisedBeforeTheStoresOfTheBlockIsFound) {
  std::string found = run_with("copy_within(target_of(path, part), part, tiles, block);\n  __syncthreads();",
                               "copy_within(target_of(path, part), part, tiles, block);");
  EXPECT_NE(found.find("race"), found.npos) << found;
}

TEST(FusedSendsFaults, ACountThatIsRaisedBeforeOtherBlocksAreDoneIsFound) {
  EXPECT_NE(run_with("is_last_of(sending.counters->done[i], part.blocks)", "is_last_of(sending.counters->done[i], 1)"),
            run_before());
}

TEST(FusedSendsFaults, LaunchesThatAreNotLikeTheTracedOnesRunAsWritten) {
  EXPECT_EQ(run_with("on_grid(8, 1, 1).of_threads(64, 1, 1)", "on_grid(7, 1, 1).of_threads(64, 1, 1)"), run_before());
}

// The reason with one text of the program in place of another; the traced run is that of the program as it is.
std::string reason_with(const std::string& from, const std::string& to) {
  ScratchFolder scratch = ScratchFolder::make("cuco-sends").value();
  Trial trial = changed(sends(space::Backend::Lsa, 4), scratch.path(), from, to);
  model::AccessTrace traced = trace();
  for (std::vector<model::TracedStep>& steps : traced.ranks)
    for (model::TracedStep& step : steps) step.place = replace_all(step.place, "fused_sends.cu", "changed.cu");
  Result<std::string> text = sent_by_kernels(trial, space::Backend::Lsa, traced);
  return text ? *text : text.error().message;
}

TEST(FusedSendsText, OtherWorkLetsTheLaunchGoFirst) {
  expect_reason(
      text_for(space::Backend::Lsa),
      "{\n        cuco::comm::launch_waiting();\n        make<<<12, 128, 0, stream>>>(in, kCount, batch);\n      }\n");
}

// Without their launches in the trace the others have no feeder, and the one that is left has this obstacle.
TEST(FusedSendsText, AKernelThatIsUsedByItsAddressIsLeftAlone) {
  std::string text = reason_with("__global__ void make(",
                                 "const void* address() { return (const void*)&step; } __global__ void make(");
  EXPECT_EQ(text.find("step_sending"), text.npos);
  EXPECT_NE(text.find("produce_sending<<<"), text.npos);
}

TEST(FusedSendsText, WithoutATraceNothingIsSentByKernels) {
  Trial trial = sends(space::Backend::Lsa, 4);
  expect_reason(fused(trial, space::Backend::Lsa, nullptr).error().message,
                "no kernel can send the messages itself: that needs a traced run of the program");
}

TEST(FusedSendsNvcc, CompilesPrograms) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", text_for(space::Backend::Hybrid)));
  EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
}

}  // namespace
}  // namespace cuco
