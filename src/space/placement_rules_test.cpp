#include <gtest/gtest.h>

#include "space/fixtures.h"

namespace cuco::space {
namespace {

constexpr std::string_view kTileFused = "lsa/tile-fused/flag/cta/64KiB";
constexpr std::string_view kSpecialised = "lsa/specialised/flag/cta/whole";

SiteFacts site_without_tiles() {
  return changed([](SiteFacts& s) {
    s.producers[0].tile_obstacle = "which bytes `gemm` touches is not known";
    s.consumers.clear();
  });
}

TEST(PlacementRules, HostCallIsDeferredOrOnAStream) {
  EXPECT_EQ(objection("host-placement", test_site(), "host/split/stream-event/cta/whole"),
            "a host call cannot be cut into a put and a wait; with stream it runs early and is awaited late");
  EXPECT_EQ(objection("host-placement", test_site(), "host/specialised/stream-event/cta/whole"),
            "a host call cannot be issued from inside a kernel");
  EXPECT_EQ(objection("host-placement", test_site(), "host/stream/stream-event/cta/whole"), "");
  EXPECT_EQ(objection("host-placement", test_site(), kSpecialised), "");
}

TEST(PlacementRules, StagedSiteIsCalledWhereItStands) {
  SiteFacts site = changed([](SiteFacts& s) { s.staging = {"`x` is managed memory, which cannot be a window"}; });
  EXPECT_EQ(
      objection("staged-deferred", site, "lsa/stream/barrier/cta/whole"),
      "s1 goes through staging memory, in the order of its calls: `x` is managed memory, which cannot be a window");
  EXPECT_EQ(objection("staged-deferred", site, "lsa/deferred/barrier/cta/whole"), "");
  EXPECT_EQ(objection("staged-deferred", test_site(), "lsa/stream/barrier/cta/whole"), "");
}

TEST(PlacementRules, RanksOfOneThreadCommunicateWhereTheyAreCalled) {
  SiteFacts site = changed([](SiteFacts& s) { s.rank_model = model::RankModel::SingleProcess; });
  EXPECT_EQ(objection("one-thread-deferred", site, "lsa/stream/barrier/cta/whole"),
            "one host thread drives several GPUs, and what runs beside their work is kept for one GPU a thread");
  EXPECT_EQ(objection("one-thread-deferred", site, "lsa/deferred/barrier/cta/whole"), "");
  EXPECT_EQ(objection("one-thread-deferred", test_site(), "lsa/stream/barrier/cta/whole"), "");
}

TEST(PlacementRules, KernelThatReducesKnowsTypeAndOperation) {
  SiteFacts site = all_reduce_site("ncclFloat", "op");
  EXPECT_EQ(objection("reduction-known", site, kTileFused), "its reduction `op` is chosen when the program runs");
  site = all_reduce_site("type", "ncclSum");
  site.element_bytes = 0;
  EXPECT_EQ(objection("reduction-known", site, kSpecialised),
            "the type `type` of its elements is chosen when the program runs");
  EXPECT_EQ(objection("reduction-known", all_reduce_site("ncclFloat", "ncclSum"), kTileFused), "");
  EXPECT_EQ(objection("reduction-known", site, "lsa/deferred/barrier/cta/whole"), "");
}

TEST(PlacementRules, SplitNeedsIndependentWorkOfTheSameIteration) {
  SiteFacts site = changed([](SiteFacts& s) {
    s.overlap_count = 0;
    s.overlap_iteration_count = 1;
  });
  EXPECT_EQ(objection("split-hides-work", site, "lsa/split/barrier/cta/whole"),
            "no independent work stands between what feeds s1 and what uses it, so split is the same as deferred");
  EXPECT_EQ(objection("split-hides-work", test_site(), "lsa/split/barrier/cta/whole"), "");
}

TEST(PlacementRules, StreamNeedsIndependentWorkOfAnyIteration) {
  SiteFacts site = changed([](SiteFacts& s) { s.overlap_count = 0; });
  EXPECT_EQ(objection("stream-hides-work", site, "lsa/stream/barrier/cta/whole"),
            "nothing is independent of s1, so on a stream of its own it runs when deferred would");
  site.overlap_iteration_count = 1;
  EXPECT_EQ(objection("stream-hides-work", site, "lsa/stream/barrier/cta/whole"), "");
}

TEST(PlacementRules, AChunkMayLeaveWhileTheNextIsComputed) {
  SiteFacts site = changed([](SiteFacts& s) { s.overlap_count = 0; });
  EXPECT_EQ(objection("stream-hides-work", site, "lsa/stream/barrier/cta/64KiB"), "");
  EXPECT_NE(objection("stream-hides-work", site, "host/stream/stream-event/cta/64KiB"), "");
}

TEST(PlacementRules, TileFusedNeedsTilesThatCanBeToldApart) {
  EXPECT_EQ(objection("tile-fused-tiles", site_without_tiles(), kTileFused),
            "no tile of s1 can be sent or awaited alone: which bytes `gemm` touches is not known");
  SiteFacts consumed = site_without_tiles();
  consumed.consumers = {test_kernel("norm")};
  EXPECT_EQ(objection("tile-fused-tiles", consumed, kTileFused), "");
}

TEST(PlacementRules, TileFusedNeedsAKernelBesideTheSite) {
  SiteFacts site = changed([](SiteFacts& s) {
    s.producers.clear();
    s.consumers.clear();
  });
  EXPECT_EQ(objection("tile-fused-tiles", site, kTileFused),
            "no tile of s1 can be sent or awaited alone: no kernel feeds it or reads what it receives");
  EXPECT_EQ(objection("tile-fused-tiles", site, "lsa/deferred/flag/cta/64KiB"), "");
}

TEST(PlacementRules, CtasThatAwaitTilesAreResidentTogether) {
  EXPECT_EQ(objection("tile-fused-resident", site_with_grids(801), kTileFused),
            "all 801 CTAs of `norm` would spin, and at most 800 are resident at once on the 100 SMs of box");
  EXPECT_EQ(objection("tile-fused-resident", site_with_grids(800), kTileFused), "");
  EXPECT_EQ(objection("tile-fused-resident", site_with_grids(std::nullopt), kTileFused), "");
}

TEST(PlacementRules, TileFusedSendsLessThanTheWholeMessage) {
  EXPECT_EQ(objection("tile-fused-chunk", test_site(), "lsa/tile-fused/flag/cta/whole"),
            "with the whole message as one chunk nothing leaves before the last tile is done");
  EXPECT_EQ(objection("tile-fused-chunk", test_site(), "lsa/tile-fused/flag/cta/4MiB"), "");
}

TEST(PlacementRules, SpecialisedNeedsAKernelOfTheProgram) {
  SiteFacts site = changed([](SiteFacts& s) { s.producers[0].has_body = s.consumers[0].has_body = false; });
  EXPECT_EQ(objection("specialised-kernel", site, kSpecialised),
            "no kernel of this program feeds or uses s1, so there is none whose CTAs could communicate");
  EXPECT_EQ(objection("specialised-kernel", site_without_tiles(), kSpecialised), "");
}

TEST(PlacementRules, SpecialisedLeavesRoomForComputeAndCommunication) {
  EXPECT_EQ(objection("specialised-resident", site_with_grids(800, true), kSpecialised),
            "the cooperative grid of `gemm` has 800 CTAs, and box holds at most 800 at once");
  EXPECT_EQ(objection("specialised-resident", site_with_grids(799, true), kSpecialised), "");
  EXPECT_EQ(objection("specialised-resident", test_site(), kSpecialised, box_of(1)),
            "box has one SM, and the CTAs that communicate would take it");
  EXPECT_EQ(objection("specialised-resident", test_site(), kSpecialised, box_of(2)), "");
}

TEST(PlacementRules, SpecialisedCtasDoNotJoinGridBarriers) {
  SiteFacts site = changed([](SiteFacts& s) { s.producers[0].grid_barrier = true; });
  EXPECT_EQ(objection("specialised-grid-sync", site, kSpecialised),
            "`gemm` synchronises its whole grid, which CTAs that only communicate never join");
  EXPECT_EQ(objection("specialised-grid-sync", site, kTileFused), "");
  EXPECT_EQ(objection("specialised-grid-sync", test_site(), kSpecialised), "");
}

}  // namespace
}  // namespace cuco::space
