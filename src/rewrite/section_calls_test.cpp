#include "rewrite/section_calls.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {
namespace {

std::vector<std::string> directives_in(const std::string& text) {
  std::vector<std::string> found;
  for (const SectionCall& call : read_section_calls(text)) found.push_back(call.kernel + " " + to_text(call.directive));
  return found;
}

using Texts = std::vector<std::string>;

TEST(SectionCalls, StateBackendAndWidth) {
  EXPECT_EQ(directives_in("CHECK(device_comm::all_gather({s1_all_gather, 1, device_comm::Reach::Lsa}, a, b, n));"),
            Texts{"s1_all_gather lsa/deferred/barrier/cta/whole"});
  EXPECT_EQ(directives_in("device_comm::all_reduce({s2_all_reduce_for, 8, device_comm::Reach::Hybrid}, a, b);"),
            Texts{"s2_all_reduce hybrid/deferred/barrier/multi-cta/whole"});
}

TEST(SectionCalls, StateCourseAndIssuer) {
  std::string text =
      "device_comm::send({s3_exchange, 1, device_comm::Reach::Gin, {device_comm::Placement::Stream, 1, true}, "
      "device_comm::Issue::Warp}, a, n);";
  EXPECT_EQ(directives_in(text), Texts{"s3_exchange gin/stream/peer-signal/warp/whole"});
  EXPECT_EQ(read_section_calls(text)[0].lanes, 2u);
  EXPECT_EQ(directives_in("device_comm::send({k, 1, device_comm::Reach::Lsa, {}, device_comm::Issue::Thread}, a);"),
            Texts{"k lsa/deferred/barrier/thread/whole"});
}

TEST(SectionCalls, LeaveOutOtherCalls) {
  EXPECT_EQ(directives_in("device_comm::open_all(); device_comm::send(way, a, n); device_comm::f({1, 2}, 3);"),
            Texts{});
}

TEST(SectionCalls, TellTheOrderOfLoops) {
  EXPECT_EQ(read_loop_order("for (int p : device_comm::turned<int>(n, device_comm::Order::LocalFirst)) f(p);"),
            space::WorkOrder::LocalFirst);
  EXPECT_EQ(read_loop_order("const cudaStream_t stream_of_work = device_comm::beside(stream, {});"),
            space::WorkOrder::SideBySide);
  EXPECT_EQ(read_loop_order("for (int p = 0; p < n; p++) f(p);"), space::WorkOrder::AsWritten);
}

TEST(SectionCalls, TellWhoWaits) {
  EXPECT_EQ(read_waits("const device_comm::Awaiting awaiting = device_comm::before_blocks(stream, {});"),
            space::Waits::Blocks);
  EXPECT_EQ(read_waits("inline Awaiting before_blocks(cudaStream_t stream) {"), space::Waits::Stream);
}

TEST(SectionCalls, PartsMayBeSentByBlocksOfTheirOwn) {
  std::vector<SectionCall> calls = read_section_calls(
      "device_comm::all_gather({s1_all_gather, 2, device_comm::Reach::Hybrid, {device_comm::Placement::Specialised}, "
      "device_comm::Issue::Block, {8, 0, true}}, own, all);");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(space::to_text(calls[0].directive), "hybrid/specialised/chunk-signal/multi-cta/whole");
  EXPECT_EQ(calls[0].blocks, 2u);
}

TEST(SectionCalls, PartsOfAKernelAreTileFused) {
  std::vector<SectionCall> calls = read_section_calls(
      "device_comm::all_gather({s1_all_gather, 1, device_comm::Reach::Gin, {}, device_comm::Issue::Block, {8, 0, true}}"
      ", a, b, n, t, c, s);");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].directive.placement, space::Placement::TileFused);
  EXPECT_EQ(calls[0].directive.sync, space::SyncScope::ChunkSignal);
  EXPECT_EQ(directives_in("device_comm::send({s1_send, 1, device_comm::Reach::Lsa, "
                          "{device_comm::Placement::Deferred, device_comm::kNoLane, true, 512}}, a, n);"),
            Texts{"s1_send lsa/tile-fused/flag/cta/whole"});
}

}  // namespace
}  // namespace cuco::rewrite
