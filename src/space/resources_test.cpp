#include "space/resources.h"

#include <gtest/gtest.h>

#include "space/fixtures.h"

namespace cuco::space {
namespace {

using model::Collective;

TEST(Resources, SignalsAreCountedByPhasePeerAndChunk) {
  model::Topology eight = two_nodes_of_four().topology;
  SiteFacts gather = test_site();
  SiteFacts reduce = all_reduce_site("ncclFloat", "ncclSum");
  EXPECT_EQ(resources_of(gather, directive("gin/split/peer-signal/cta/whole"), eight, 1).signals, 7u);
  EXPECT_EQ(resources_of(gather, directive("gin/split/chunk-signal/cta/4MiB"), eight, 1).signals, 28u);
  EXPECT_EQ(resources_of(reduce, directive("gin/split/chunk-signal/cta/4MiB"), eight, 1).signals, 56u);
  EXPECT_EQ(resources_of(gather, directive("hybrid/split/chunk-signal/cta/4MiB"), eight, 1).signals, 16u);
}

TEST(Resources, LastChunkMayBeShort) {
  SiteFacts site = changed([](SiteFacts& s) { s.message_bytes = (4u << 20) + 1; });
  EXPECT_EQ(resources_of(site, directive("gin/split/chunk-signal/cta/4MiB"), two_nodes().topology, 1).signals, 2u);
}

TEST(Resources, ReceiverHoldsTheSignalsOfATransfer) {
  model::Topology eight = two_nodes_of_four().topology;
  Directive put = directive("gin/split/peer-signal/cta/whole");
  EXPECT_EQ(resources_of(transfer_site("s1", Collective::Send), put, eight, 1).signals, 0u);
  EXPECT_EQ(resources_of(transfer_site("s2", Collective::Recv), put, eight, 1).signals, 1u);
}

TEST(Resources, EveryIssuingCtaHasABarrier) {
  model::Topology eight = two_nodes_of_four().topology;
  Resources hybrid = resources_of(test_site(), directive("hybrid/deferred/barrier/multi-cta/whole"), eight, 6);
  EXPECT_EQ(hybrid.gin_barriers, 6u);
  EXPECT_EQ(hybrid.lsa_barriers, 6u);
  Resources lsa = resources_of(test_site(), directive("lsa/deferred/barrier/cta/whole"), nvlink_box().topology, 6);
  EXPECT_EQ(lsa.gin_barriers, 0u);
  EXPECT_EQ(lsa.lsa_barriers, 1u);
  Resources fused = resources_of(test_site(), directive("gin/tile-fused/barrier/multi-cta/64KiB"), eight, 6);
  EXPECT_EQ(fused.gin_barriers, 64u);
}

TEST(Resources, HostCallAsksForNothing) {
  Resources none =
      resources_of(test_site(), directive("host/deferred/stream-event/cta/whole"), two_nodes().topology, 4);
  EXPECT_EQ(none.signals + none.gin_barriers + none.lsa_barriers, 0u);
}

TEST(Resources, ResidencyIsBoundByThreadsAndBlocks) {
  model::GpuProfile gpu = nvlink_box().gpu;
  EXPECT_EQ(resident_ctas_max(gpu, 1024), 200u);
  EXPECT_EQ(resident_ctas_max(gpu, 32), 3200u);
  EXPECT_EQ(resident_ctas_max(gpu, 0), 3200u);
}

}  // namespace
}  // namespace cuco::space
