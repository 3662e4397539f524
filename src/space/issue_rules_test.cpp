#include <gtest/gtest.h>

#include "space/fixtures.h"

namespace cuco::space {
namespace {

TEST(IssueRules, HostCallHasOneSpellingOfItsIssuer) {
  EXPECT_EQ(objection("host-issuer", test_site(), "host/deferred/stream-event/warp/whole"),
            "no thread of the program issues a host call; its issuer is written cta");
  EXPECT_EQ(objection("host-issuer", test_site(), "host/deferred/stream-event/cta/whole"), "");
}

TEST(IssueRules, WholeCtaIssuesOnlyWhereAllItsThreadsArrive) {
  SiteFacts wrapped = changed([](SiteFacts& s) { s.producers[0].block_barriers = 0; });
  EXPECT_EQ(objection("cta-convergence", wrapped, "lsa/tile-fused/flag/cta/64KiB"), "");
  SiteFacts site = changed([](SiteFacts& s) { s.producers[0].block_barriers = 0, s.producers[0].has_body = false; });
  EXPECT_EQ(objection("cta-convergence", site, "lsa/tile-fused/flag/cta/64KiB"),
            "`gemm` has no block-wide barrier, so nothing shows that all threads of a CTA reach the transfer, and one "
            "that does not hangs the others");
  EXPECT_EQ(objection("cta-convergence", site, "lsa/tile-fused/flag/warp/64KiB"), "");
  EXPECT_EQ(objection("cta-convergence", site, "lsa/deferred/flag/cta/64KiB"), "");
  EXPECT_EQ(objection("cta-convergence", test_site(), "lsa/tile-fused/flag/cta/64KiB"), "");
}

TEST(IssueRules, SeveralCtasNeedRoomForTwo) {
  EXPECT_EQ(objection("multi-cta-resident", test_site(), "lsa/specialised/flag/multi-cta/whole", box_of(2)),
            "multi-cta needs two communication CTAs at once, and box with 2 SMs has room for 1");
  EXPECT_EQ(objection("multi-cta-resident", test_site(), "lsa/specialised/flag/multi-cta/whole", box_of(3)), "");
  EXPECT_EQ(objection("multi-cta-resident", test_site(), "lsa/deferred/flag/multi-cta/whole", box_of(2)), "");
}

TEST(IssueRules, ChunkIsSmallerThanTheMessage) {
  EXPECT_EQ(objection("chunk-below-message", test_site(), "lsa/deferred/barrier/cta/16MiB"),
            "the message has 16 MiB, so a chunk of as much or more is written whole");
  EXPECT_EQ(objection("chunk-below-message", test_site(), "lsa/deferred/barrier/cta/8MiB"), "");
}

TEST(IssueRules, ChunkIsFreeWhereTheMessageIsNotKnown) {
  SiteFacts site = changed([](SiteFacts& s) { s.message_bytes.reset(); });
  EXPECT_EQ(objection("chunk-below-message", site, "lsa/deferred/barrier/cta/64MiB"), "");
}

TEST(IssueRules, LoopOverChunksIsNotCutAgain) {
  SiteFacts site = changed([](SiteFacts& s) { s.loop_role = model::LoopRole::Chunks; });
  EXPECT_EQ(objection("chunk-loop", site, "lsa/deferred/barrier/cta/64KiB"),
            "the loop around s1 cuts the message already; its step is the chunk");
  EXPECT_EQ(objection("chunk-loop", site, "lsa/deferred/barrier/cta/whole"), "");
}

TEST(IssueRules, HostCallsAreCutOnlyWhereTheLayoutAllows) {
  constexpr std::string_view kCut = "host/deferred/stream-event/cta/64KiB";
  EXPECT_EQ(objection("host-chunk-layout", test_site(), kCut),
            "ncclAllGather lays the ranks' blocks back to back, so smaller calls would put them elsewhere");
  EXPECT_EQ(objection("host-chunk-layout", all_reduce_site("ncclFloat", "ncclSum"), kCut), "");
  EXPECT_EQ(objection("host-chunk-layout", test_site(), "lsa/deferred/barrier/cta/64KiB"), "");
}

TEST(IssueRules, ChunkSignalNeedsChunks) {
  EXPECT_EQ(objection("chunk-signal-chunks", test_site(), "gin/deferred/chunk-signal/cta/whole", two_nodes()),
            "one chunk per message needs one signal per peer, which is peer-signal");
  EXPECT_EQ(objection("chunk-signal-chunks", test_site(), "gin/deferred/chunk-signal/cta/64KiB", two_nodes()), "");
}

TEST(IssueRules, SignalsFitThePool) {
  SiteFacts site = changed([](SiteFacts& s) { s.message_bytes = uint64_t{64} << 20; });
  EXPECT_EQ(objection("signal-pool", site, "gin/deferred/chunk-signal/cta/512B", two_nodes()),
            "chunks of 512B need 131072 signals in 1 phase, and NCCL's pool has 65536");
  EXPECT_EQ(objection("signal-pool", site, "gin/deferred/chunk-signal/cta/1KiB", two_nodes()), "");
}

TEST(IssueRules, EveryPhaseOfAReductionTakesItsOwnSignals) {
  SiteFacts site = all_reduce_site("ncclFloat", "ncclSum");
  site.message_bytes = uint64_t{64} << 20;
  EXPECT_EQ(objection("signal-pool", site, "gin/deferred/chunk-signal/cta/1KiB", two_nodes()),
            "chunks of 1KiB need 131072 signals in 2 phases, and NCCL's pool has 65536");
}

}  // namespace
}  // namespace cuco::space
