#include "rewrite/text/comm_calls.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {
namespace {

std::vector<std::string> directives_in(const std::string& text) {
  std::vector<std::string> found;
  for (const CommCall& call : read_comm_calls(text)) found.push_back(call.site + " " + to_text(call.directive));
  return found;
}

using Texts = std::vector<std::string>;

TEST(CommCalls, StateBackendAndWidth) {
  EXPECT_EQ(directives_in("CHECK(cuco::comm::all_gather(cuco::comm::lsa<1>, a, b, n));"),
            Texts{"s1 lsa/deferred/barrier/cta/whole"});
  EXPECT_EQ(directives_in("cuco::comm::all_reduce(cuco::comm::hybrid<12>.sum<float, double>().blocks(8), a, b);"),
            Texts{"s12 hybrid/deferred/barrier/multi-cta/whole"});
}

TEST(CommCalls, StatePlacementAndIssuer) {
  std::string text = "cuco::comm::send(cuco::comm::gin<3>.by_warp().on_stream(1).by_message(), a, n);";
  EXPECT_EQ(directives_in(text), Texts{"s3 gin/stream/peer-signal/warp/whole"});
  EXPECT_EQ(read_comm_calls(text)[0].streams, 2u);
  EXPECT_EQ(directives_in("cuco::comm::send(cuco::comm::lsa<2>.by_thread().tracked(), a);"),
            Texts{"s2 lsa/deferred/barrier/thread/whole"});
  EXPECT_EQ(directives_in("cuco::comm::send(cuco::comm::lsa<2>.split(), a);"), Texts{"s2 lsa/split/barrier/cta/whole"});
}

TEST(CommCalls, LeaveOutOtherCalls) {
  EXPECT_EQ(directives_in("cuco::comm::open_all<cuco::comm::Lsa>(); cuco::comm::send(route, a, n); "
                          "cuco::comm::f({1, 2}, 3); all_gather(lsa<1>, a);"),
            Texts{});
}

TEST(CommCalls, TellTheOrderOfLoops) {
  EXPECT_EQ(read_loop_order("for (int p : cuco::comm::ranks_in_order<int>(n, cuco::comm::Order::LocalFirst)) f(p);"),
            space::WorkOrder::LocalFirst);
  EXPECT_EQ(read_loop_order("const cudaStream_t stream_of_work = cuco::comm::side_stream(stream, {});"),
            space::WorkOrder::SideBySide);
  EXPECT_EQ(read_loop_order("for (int p = 0; p < n; p++) f(p);"), space::WorkOrder::AsWritten);
}

TEST(CommCalls, TellWhoWaits) {
  EXPECT_EQ(read_waits("const cuco::comm::BlockWaits waits = cuco::comm::before_blocks(stream, {});"),
            space::Waits::Blocks);
  EXPECT_EQ(read_waits("inline BlockWaits before_blocks(cudaStream_t stream) {"), space::Waits::Stream);
}

TEST(CommCalls, PartsMayBeSentByBlocksOfTheirOwn) {
  std::vector<CommCall> calls =
      read_comm_calls("cuco::comm::all_gather(cuco::comm::hybrid<1>.blocks(2).specialised(8, 256), own, all);");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(space::to_text(calls[0].directive), "hybrid/specialised/chunk-signal/multi-cta/whole");
  EXPECT_EQ(calls[0].blocks, 2u);
}

TEST(CommCalls, PartsOfAKernelAreTileFused) {
  EXPECT_EQ(directives_in("cuco::comm::all_gather(cuco::comm::gin<1>.fused(8), a, b, n, t, c, s);"),
            Texts{"s1 gin/tile-fused/chunk-signal/cta/whole"});
  EXPECT_EQ(directives_in("cuco::comm::send(cuco::comm::lsa<1>.sent_by_writers(512), a, n);"),
            Texts{"s1 lsa/tile-fused/flag/cta/whole"});
}

TEST(CommCalls, KernelsOfTheLibraryTellTheirSite) {
  EXPECT_EQ(site_of_kernel("exchange_for<12, cuco::comm::Lsa>"), "s12");
  EXPECT_EQ(site_of_kernel("gemm<12>"), "");
  EXPECT_EQ(kernel_key("reduce_for<3, cuco::comm::Gin, float>"), "reduce_for<3");
  EXPECT_EQ(kernel_key("gemm<64, float>"), "gemm");
}

}  // namespace
}  // namespace cuco::rewrite
