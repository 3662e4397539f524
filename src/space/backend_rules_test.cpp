#include <gtest/gtest.h>

#include "space/fixtures.h"

namespace cuco::space {
namespace {

constexpr std::string_view kHost = "host/deferred/stream-event/cta/whole";
constexpr std::string_view kLsa = "lsa/deferred/barrier/cta/whole";
constexpr std::string_view kGin = "gin/deferred/barrier/cta/whole";
constexpr std::string_view kHybrid = "hybrid/deferred/barrier/cta/whole";
constexpr std::string_view kMultimem = "multimem/deferred/barrier/cta/whole";

TEST(BackendRules, BlockedSiteStaysOnTheHost) {
  SiteFacts site = changed([](SiteFacts& s) { s.blockers = {"`x` is managed memory"}; });
  EXPECT_EQ(objection("no-blocker", site, kLsa), "s1 cannot be made device-initiated: `x` is managed memory");
  EXPECT_EQ(objection("no-blocker", site, kHost), "");
  EXPECT_EQ(objection("no-blocker", test_site(), kLsa), "");
}

TEST(BackendRules, LoadsAndStoresStayInsideOneNode) {
  EXPECT_EQ(objection("lsa-one-node", test_site(), kLsa, two_nodes_of_four()),
            "the ranks are on 2 nodes of box, and loads and stores reach no other node");
  EXPECT_EQ(objection("lsa-one-node", test_site(), kLsa, nvlink_box()), "");
  EXPECT_EQ(objection("lsa-one-node", test_site(), kHybrid, two_nodes_of_four()), "");
}

TEST(BackendRules, SplitCommunicatorIsNotTakenToStayInsideOneNode) {
  SiteFacts site = changed([](SiteFacts& s) { s.split_communicator = "row"; });
  EXPECT_EQ(objection("lsa-one-node", site, kMultimem, two_nodes_of_four()),
            "that the ranks of `row` share one of the 2 nodes of box is not known, and loads and stores reach no other "
            "node");
  EXPECT_EQ(objection("lsa-one-node", site, kMultimem, nvlink_box()), "");
}

TEST(BackendRules, PutsNeedANic) {
  EXPECT_EQ(objection("gin-nic", test_site(), kGin, nvlink_box()),
            "box is one node without a NIC between its ranks, and every put goes through a NIC");
  EXPECT_EQ(objection("gin-nic", test_site(), kGin, two_nodes()), "");
}

TEST(BackendRules, HybridNeedsPeersOfBothKinds) {
  EXPECT_EQ(objection("hybrid-both-peers", test_site(), kHybrid, two_nodes()),
            "hybrid needs peers inside and outside the node, and box has 2 nodes of 1 rank");
  EXPECT_EQ(objection("hybrid-both-peers", test_site(), kHybrid, nvlink_box()),
            "hybrid needs peers inside and outside the node, and box has 1 node of 4 ranks");
  EXPECT_EQ(objection("hybrid-both-peers", test_site(), kHybrid, two_nodes_of_four()), "");
}

TEST(BackendRules, MultimemNeedsMulticastHardware) {
  EXPECT_EQ(objection("multimem-hardware", test_site(), kMultimem, test_profile(1, 4)), "box has no NVLink multicast");
  EXPECT_EQ(objection("multimem-hardware", test_site(), kMultimem, nvlink_box()), "");
}

TEST(BackendRules, MultimemGivesAllPeersTheSameBytes) {
  SiteFacts site = changed([](SiteFacts& s) {
    s.callee = "ncclAlltoAll";
    s.collective = model::Collective::AlltoAll;
  });
  EXPECT_EQ(objection("multimem-collective", site, kMultimem),
            "ncclAlltoAll has other bytes for each peer, and a multicast store gives all the same");
  EXPECT_EQ(objection("multimem-collective", test_site(), kMultimem), "");
  EXPECT_EQ(objection("multimem-collective", all_reduce_site("ncclFloat", "ncclSum"), kMultimem), "");
}

TEST(BackendRules, MultimemReducesWhatTheInstructionReduces) {
  auto refused = [](const char* type, const char* operation) {
    return objection("multimem-type", all_reduce_site(type, operation), kMultimem);
  };
  EXPECT_EQ(refused("ncclFloat", "ncclMax"), "multimem.ld_reduce has no ncclMax of ncclFloat");
  EXPECT_EQ(refused("ncclInt8", "ncclSum"), "multimem.ld_reduce has no ncclSum of ncclInt8");
  EXPECT_EQ(refused("ncclFloat8e4m3", "ncclSum"), "multimem.ld_reduce has no ncclSum of ncclFloat8e4m3");
  EXPECT_EQ(refused("ncclInt32", "ncclProd"), "multimem.ld_reduce has no ncclProd of ncclInt32");
  for (const char* type : {"ncclFloat", "ncclDouble", "ncclHalf", "ncclBfloat16", "ncclInt32", "ncclUint64"})
    EXPECT_EQ(refused(type, "ncclSum"), "") << type;
  for (const char* type : {"ncclHalf", "ncclBfloat16", "ncclInt64"}) EXPECT_EQ(refused(type, "ncclMin"), "") << type;
}

TEST(BackendRules, ReducingThroughTheNicNeedsRoomForEveryPeersPart) {
  SiteFacts site = all_reduce_site("ncclFloat", "ncclSum");
  site.message_bytes = uint64_t{16} << 30;
  EXPECT_EQ(objection("gin-staging-fits", site, kGin, two_nodes_of_four()),
            "a put cannot add, and staging 16 GiB from each of 7 peers exceeds the 80 GiB of box");
  EXPECT_EQ(objection("gin-staging-fits", site, kGin, two_nodes()), "");
}

}  // namespace
}  // namespace cuco::space
