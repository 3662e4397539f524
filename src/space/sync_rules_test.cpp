#include <gtest/gtest.h>

#include "space/fixtures.h"

namespace cuco::space {
namespace {

using model::LoopRole;

SiteFacts site_in_loop(LoopRole role) {
  return changed([&](SiteFacts& s) { s.loop_role = role; });
}

TEST(SyncRules, HostCallCompletesOnTheHostSide) {
  EXPECT_EQ(objection("host-completion", test_site(), "host/deferred/barrier/cta/whole"),
            "a host call is complete when its stream has passed it; it raises nothing that a kernel could wait for");
  EXPECT_EQ(objection("host-completion", test_site(), "host/deferred/host-sync/cta/whole"), "");
}

TEST(SyncRules, SignalsAreRaisedByPuts) {
  EXPECT_EQ(objection("signal-needs-put", test_site(), "lsa/deferred/peer-signal/cta/whole"),
            "signals are raised by puts; a peer that stores into a window raises a flag there");
  EXPECT_EQ(objection("signal-needs-put", test_site(), "hybrid/deferred/peer-signal/cta/whole", two_nodes_of_four()),
            "");
}

TEST(SyncRules, FlagsDoNotTravelThroughANic) {
  EXPECT_EQ(objection("flag-needs-store", test_site(), "gin/deferred/flag/cta/whole", two_nodes()),
            "a flag is a store that follows the data's stores, and a NIC orders a put only before its signal");
  EXPECT_EQ(objection("flag-needs-store", test_site(), "lsa/deferred/flag/cta/whole"), "");
}

TEST(SyncRules, EndOfAKernelSaysNothingAboutItsPuts) {
  EXPECT_EQ(objection("put-arrival", test_site(), "gin/deferred/host-sync/cta/whole", two_nodes()),
            "the end of a kernel that put bytes, like flush, says that sources may be reused, not that bytes have "
            "arrived");
  EXPECT_EQ(objection("put-arrival", test_site(), "lsa/deferred/host-sync/cta/whole"), "");
}

TEST(SyncRules, HostSideSeesOnlyTheEndOfAKernel) {
  EXPECT_EQ(
      objection("host-side-placement", test_site(), "lsa/tile-fused/host-sync/cta/64KiB"),
      "the host side sees a kernel end, not a transfer inside one; only deferred and stream end with the transfer");
  EXPECT_EQ(objection("host-side-placement", test_site(), "lsa/stream/host-sync/cta/64KiB"), "");
}

TEST(SyncRules, EventsOrderStreamsOfOneProcess) {
  EXPECT_EQ(
      objection("event-one-process", test_site(), "lsa/stream/stream-event/cta/whole"),
      "peers in other processes cannot wait for this rank's event without their hosts meeting, which is host-sync");
  SiteFacts threads = changed([](SiteFacts& s) { s.rank_model = model::RankModel::Threads; });
  EXPECT_EQ(objection("event-one-process", threads, "lsa/stream/stream-event/cta/whole"), "");
  EXPECT_EQ(objection("event-one-process", test_site(), "host/stream/stream-event/cta/whole"), "");
}

TEST(SyncRules, HostDoesNotWaitForEveryPeerOrChunk) {
  constexpr std::string_view kHostSync = "host/deferred/host-sync/cta/whole";
  EXPECT_EQ(objection("host-sync-loop", site_in_loop(LoopRole::Peers), kHostSync),
            "s1 is in a loop over peers, and a host that waits for one peer holds up the others");
  EXPECT_EQ(objection("host-sync-loop", site_in_loop(LoopRole::Chunks), kHostSync),
            "s1 is in a loop over chunks, and a host that waits for each has one in flight");
  EXPECT_EQ(objection("host-sync-loop", site_in_loop(LoopRole::Iterations), kHostSync), "");
  EXPECT_EQ(objection("host-sync-loop", site_in_loop(LoopRole::Peers), "host/deferred/stream-event/cta/whole"), "");
}

TEST(SyncRules, BarrierNeedsEveryRank) {
  SiteFacts site = changed([](SiteFacts& s) { s.condition = "rank == 0"; });
  EXPECT_EQ(objection("barrier-all-ranks", site, "lsa/deferred/barrier/cta/whole"),
            "a barrier needs every rank, and s1 is reached only if `rank == 0`");
  EXPECT_EQ(objection("barrier-all-ranks", site, "lsa/deferred/flag/cta/whole"), "");
  EXPECT_EQ(objection("barrier-all-ranks", test_site(), "lsa/deferred/barrier/cta/whole"), "");
}

TEST(SyncRules, BarrierNeedsAnExchangeOfAllRanks) {
  SiteFacts site = transfer_site("s1", model::Collective::Send);
  EXPECT_EQ(objection("barrier-all-ranks", site, "lsa/deferred/barrier/cta/whole"), "");
  site.group_pattern = model::GroupPattern::Pairwise;
  EXPECT_EQ(objection("barrier-all-ranks", site, "lsa/deferred/barrier/cta/whole"),
            "a barrier needs every rank, and the exchange of s1 is pairwise");
}

TEST(SyncRules, BarrierOfEveryCtaNeedsEqualGrids) {
  SiteFacts site = site_with_grids(std::nullopt);
  EXPECT_EQ(
      objection("barrier-equal-grids", site, "lsa/tile-fused/barrier/multi-cta/64KiB"),
      "CTA i meets CTA i of every peer, and that `n / 64`, the grid of `gemm`, is equal on all ranks is not known");
  EXPECT_EQ(objection("barrier-equal-grids", site, "lsa/tile-fused/barrier/cta/64KiB"), "");
  EXPECT_EQ(objection("barrier-equal-grids", site_with_grids(64), "lsa/tile-fused/barrier/multi-cta/64KiB"), "");
}

TEST(SyncRules, CtasThatMeetInABarrierAreResidentTogether) {
  EXPECT_EQ(objection("barrier-resident", site_with_grids(801), "lsa/tile-fused/barrier/multi-cta/64KiB"),
            "all 801 CTAs of `gemm` would spin, and at most 800 are resident at once on the 100 SMs of box");
  EXPECT_EQ(objection("barrier-resident", site_with_grids(800), "lsa/tile-fused/barrier/multi-cta/64KiB"), "");
}

}  // namespace
}  // namespace cuco::space
