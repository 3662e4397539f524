// Programs that no rule wrote, stated by hand: kernels with their calls of the device API, launched here or there.
#include "rewrite/infer.h"

#include <gtest/gtest.h>

#include "testing/program_builder.h"

namespace cuco::rewrite {
namespace {

using model::DeviceCommKind;
using model::Index;
using testing::ProgramBuilder;
using testing::reads_from;
using testing::writes_to;

struct InferredFromKernels : public ::testing::Test {
  ProgramBuilder before, after;
  Index stream = before.stream("s"), after_stream = after.stream("s"), apart = after.stream("apart");
  Index x = before.buffer("x"), y = before.buffer("y");
  Index after_x = after.buffer("x"), after_y = after.buffer("y");
  std::vector<Source> sources;

  InferredFromKernels() {
    kernel(before, "produce", {});
    before.launch("produce", stream, {writes_to(x)});
    before.all_reduce(x, y, stream);
    before.program().operations[0].launch->kernel = 0;
  }

  static Index kernel(ProgramBuilder& builder, const std::string& name, const std::vector<DeviceCommKind>& kinds) {
    model::Kernel made;
    made.name = name;
    for (DeviceCommKind kind : kinds) made.communication.push_back({kind, "", {}});
    builder.program().kernels.push_back(made);
    return static_cast<Index>(builder.program().kernels.size() - 1);
  }

  void launch(const std::string& name, Index on, const std::vector<DeviceCommKind>& kinds,
              std::vector<model::Region> regions, std::source_location here) {
    Index made = kernel(after, name, kinds);
    Index operation = after.launch(name, on, std::move(regions), here);
    model::LaunchDetail& detail = *after.program().operations[operation].launch;
    detail.kernel = made;
    detail.grid = "1";
    detail.block = "512";
  }

  InferredPlan infer() {
    model::CommGraph graph_before = model::build_comm_graph(before.program());
    model::CommGraph graph_after = model::build_comm_graph(after.program());
    return infer_plan({before.program(), graph_before, after.program(), graph_after, sources});
  }
  std::string directive() { return to_text(infer().plan.choices.at(0).directive); }
};

std::source_location here(std::source_location place = std::source_location::current()) { return place; }

TEST_F(InferredFromKernels, HostCallThatIsLeftStaysOnTheHost) {
  after.all_reduce(after_x, after_y, after_stream);
  EXPECT_EQ(directive(), "host/deferred/stream-event/cta/whole");
}

TEST_F(InferredFromKernels, KernelOnItsBuffersStandsForTheSite) {
  launch("produce", after_stream, {}, {writes_to(after_x)}, here());
  launch("move", after_stream, {DeviceCommKind::GinPut, DeviceCommKind::GinWait}, {reads_from(after_x)}, here());
  EXPECT_EQ(directive(), "gin/deferred/peer-signal/cta/whole");
}

TEST_F(InferredFromKernels, StreamThatNoOtherKernelUsesIsItsOwn) {
  launch("produce", after_stream, {}, {writes_to(after_x)}, here());
  launch("move", apart, {DeviceCommKind::LsaPointer, DeviceCommKind::LsaBarrier}, {reads_from(after_x)}, here());
  EXPECT_EQ(directive(), "lsa/stream/barrier/cta/whole");
}

TEST_F(InferredFromKernels, KernelThatOnlyWaitsMakesASplit) {
  launch("begin", after_stream, {DeviceCommKind::GinPut}, {reads_from(after_x)}, here());
  launch("end", after_stream, {DeviceCommKind::GinWait}, {writes_to(after_y)}, here());
  EXPECT_EQ(directive(), "gin/split/peer-signal/cta/whole");
}

TEST_F(InferredFromKernels, CommunicationInAKernelOfTheProgramIsFused) {
  launch("produce", after_stream, {DeviceCommKind::LsaPointer}, {writes_to(after_x)}, here());
  EXPECT_EQ(directive(), "lsa/tile-fused/flag/cta/whole");
}

// The original's `multiply` reads weights into x; who writes by hand gives it another name and lets it send.
struct InferredFromOtherNames : public InferredFromKernels {
  Index weights = before.buffer("weights"), after_weights = after.buffer("weights");

  InferredFromOtherNames() {
    kernel(before, "multiply", {});
    before.launch("multiply", stream, {reads_from(weights), writes_to(x)});
  }
};

TEST_F(InferredFromOtherNames, KernelThatDoesWorkOfTheOriginalIsFused) {
  launch("product_to_peers", after_stream, {DeviceCommKind::GinPut, DeviceCommKind::GinWait},
         {reads_from(after_weights), writes_to(after_x)}, here());
  EXPECT_EQ(directive(), "gin/tile-fused/peer-signal/cta/whole");
}

TEST_F(InferredFromOtherNames, KernelWhoseSendersDoNothingElseIsSpecialised) {
  launch("product_and_senders", after_stream, {DeviceCommKind::GinPut}, {reads_from(after_weights), writes_to(after_x)},
         here());
  after.program().kernels.back().communication[0].by_some_blocks = true;
  EXPECT_EQ(directive(), "gin/specialised/flag/cta/whole");
}

TEST_F(InferredFromOtherNames, KernelThatOnlyMovesIsNotFusedWhateverElseItTouches) {
  launch("product", after_stream, {}, {reads_from(after_weights), writes_to(after_x)}, here());
  launch("move", after_stream, {DeviceCommKind::GinPut, DeviceCommKind::GinWait},
         {reads_from(after_x), writes_to(after.buffer("staging"))}, here());
  EXPECT_EQ(directive(), "gin/deferred/peer-signal/cta/whole");
}

TEST_F(InferredFromOtherNames, KernelThatWaitsForWhatItReadsMakesBlocksWait) {
  launch("move", after_stream, {DeviceCommKind::GinPut}, {reads_from(after_x)}, here());
  launch("use", after_stream, {DeviceCommKind::GinWait}, {reads_from(after_weights), reads_from(after_y)}, here());
  EXPECT_EQ(infer().plan.schedule.waits, space::Waits::Blocks);
  EXPECT_EQ(directive(), "gin/deferred/peer-signal/cta/whole");
}

TEST_F(InferredFromKernels, NamesWhatOnlyOrderTells) {
  launch("move", after_stream, {DeviceCommKind::GinPut, DeviceCommKind::GinWait}, {}, here());
  InferredPlan plan = infer();
  EXPECT_EQ(plan.unknown, (std::vector<std::string>{"s1: nothing but order tells that `move` stands for it",
                                                    "s1: how messages are cut is not visible in the code"}));
}

TEST_F(InferredFromKernels, SaysWhenNothingStandsForASite) {
  launch("produce", after_stream, {}, {writes_to(after_x)}, here());
  EXPECT_EQ(infer().unknown,
            (std::vector<std::string>{"s1: neither a host call nor a kernel that communicates stands for it"}));
}

TEST_F(InferredFromKernels, KernelDecidesTheBackendWhateverTheCallSays) {
  sources = {{"program.cu", "cuco::comm::all_reduce(cuco::comm::gin<1>.sum<float>(), x, y);"}};
  launch("s1_move", after_stream, {DeviceCommKind::LsaPointer}, {}, here());
  EXPECT_EQ(directive(), "lsa/deferred/barrier/cta/whole");
}

}  // namespace
}  // namespace cuco::rewrite
