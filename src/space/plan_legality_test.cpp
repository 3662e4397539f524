#include "space/plan_legality.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "space/fixtures.h"

namespace cuco::space {
namespace {

using model::Collective;

// What one rule says against a plan in its text form; empty when it does not object.
std::string objection(std::string_view rule, const std::vector<SiteFacts>& sites, std::string_view plan,
                      const model::HardwareProfile& profile = nvlink_box()) {
  for (const Violation& violation : check(sites, *parse_plan(plan, "plan"), profile))
    if (violation.rule == rule) return violation.reason;
  return {};
}

std::vector<SiteFacts> ring() { return {transfer_site("s1", Collective::Send), transfer_site("s2", Collective::Recv)}; }

TEST(PlanLegality, EverySiteHasADirectiveAndNothingElseDoes) {
  std::vector<SiteFacts> sites = {test_site("s1"), test_site("s2")};
  EXPECT_EQ(objection("plan-sites", sites, "s1 lsa/deferred/barrier/cta/whole"), "site s2 has no directive");
  EXPECT_EQ(objection("plan-sites", {test_site("s1")},
                      "s1 lsa/deferred/barrier/cta/whole\ns7 lsa/deferred/barrier/cta/whole"),
            "the program has no site `s7`; it has s1");
  EXPECT_EQ(objection("plan-sites", {test_site("s1")}, "s1 lsa/deferred/barrier/cta/whole"), "");
}

TEST(PlanLegality, EndsOfOneExchangeAgree) {
  EXPECT_EQ(objection("plan-exchange", ring(), "s1 lsa/deferred/barrier/cta/whole\ns2 lsa/split/flag/warp/whole"),
            "s1 and s2 are ends of one exchange and must have backend, sync and chunk in common, not "
            "lsa/deferred/barrier/cta/whole and lsa/split/flag/warp/whole");
  EXPECT_EQ(objection("plan-exchange", ring(), "s1 lsa/deferred/flag/cta/whole\ns2 lsa/split/flag/warp/whole"), "");
}

TEST(PlanLegality, SitesOfDifferentExchangesNeedNotAgree) {
  std::vector<SiteFacts> sites = {test_site("s1"), test_site("s2")};
  EXPECT_EQ(objection("plan-exchange", sites, "s1 lsa/deferred/barrier/cta/whole\ns2 lsa/split/flag/warp/whole"), "");
}

TEST(PlanLegality, SignalsOfAllSitesFitThePoolTogether) {
  std::vector<SiteFacts> sites = {test_site("s1"), test_site("s2")};
  for (SiteFacts& site : sites) site.message_bytes = uint64_t{48} << 20;
  std::string fine = "s1 gin/deferred/chunk-signal/cta/1KiB\ns2 gin/deferred/barrier/cta/whole";
  std::string many = "s1 gin/deferred/chunk-signal/cta/1KiB\ns2 gin/deferred/chunk-signal/cta/1KiB";
  EXPECT_EQ(objection("plan-signal-pool", sites, many, two_nodes()),
            "the sites need 98304 signals together, barriers included, and NCCL's pool has 65536");
  EXPECT_EQ(objection("plan-signal-pool", sites, fine, two_nodes()), "");
}

TEST(PlanLegality, BarriersThroughTheNicTakeSignalsToo) {
  SiteFacts site = test_site("s1");
  site.message_bytes = uint64_t{64} << 20;
  std::vector<SiteFacts> sites = {site, test_site("s2")};
  std::string plan = "s1 gin/deferred/chunk-signal/cta/1KiB\ns2 gin/deferred/barrier/multi-cta/whole\nschedule ctas=8";
  EXPECT_EQ(objection("plan-signal-pool", sites, plan, two_nodes()),
            "the sites need 65544 signals together, barriers included, and NCCL's pool has 65536");
}

TEST(PlanLegality, CommunicationCtasLeaveRoomForTheComputingOnes) {
  std::vector<SiteFacts> sites = {test_site("s1")};
  std::string plan = "s1 lsa/specialised/flag/multi-cta/whole\nschedule ctas=";
  EXPECT_EQ(objection("plan-ctas-resident", sites, plan + "100"),
            "100 communication CTAs spin at once, and the 100 SMs of box have room for 99 beside the work");
  EXPECT_EQ(objection("plan-ctas-resident", sites, plan + "99"), "");
  EXPECT_EQ(objection("plan-ctas-resident", sites, "s1 lsa/deferred/flag/multi-cta/whole\nschedule ctas=100"), "");
}

TEST(PlanLegality, CommunicationCtasBelongToMultiCtaIssue) {
  std::vector<SiteFacts> sites = {test_site("s1")};
  EXPECT_EQ(objection("plan-ctas-used", sites, "s1 lsa/deferred/flag/cta/whole\nschedule ctas=4"),
            "4 communication CTAs are stated, and no site has multi-cta issue outside a compute kernel");
  EXPECT_EQ(objection("plan-ctas-used", sites, "s1 lsa/deferred/flag/multi-cta/whole"),
            "a site has multi-cta issue, and one communication CTA is what cta means");
  EXPECT_EQ(objection("plan-ctas-used", sites, "s1 lsa/deferred/flag/multi-cta/whole\nschedule ctas=4"), "");
  EXPECT_EQ(objection("plan-ctas-used", sites, "s1 lsa/tile-fused/flag/multi-cta/64KiB"), "");
}

TEST(PlanLegality, CommunicationStreamsBelongToPlacementsThatUseThem) {
  std::vector<SiteFacts> sites = {test_site("s1")};
  EXPECT_EQ(objection("plan-streams", sites, "s1 lsa/stream/flag/cta/whole"),
            "1 site with placement stream and no stream for it");
  EXPECT_EQ(objection("plan-streams", sites, "s1 lsa/stream/flag/cta/whole\nschedule streams=2"),
            "2 communication streams for 1 site with placement stream or split");
  EXPECT_EQ(objection("plan-streams", sites, "s1 lsa/stream/flag/cta/whole\nschedule streams=1"), "");
  EXPECT_EQ(objection("plan-streams", sites, "s1 lsa/split/flag/cta/whole\nschedule streams=1"), "");
  EXPECT_EQ(objection("plan-streams", sites, "s1 lsa/split/flag/cta/whole"), "");
  EXPECT_EQ(objection("plan-streams", sites, "s1 lsa/deferred/flag/cta/whole"), "");
}

TEST(PlanLegality, PriorityBelongsToAStream) {
  std::vector<SiteFacts> sites = {test_site("s1")};
  EXPECT_EQ(objection("plan-priority", sites, "s1 lsa/deferred/flag/cta/whole\nschedule priority=high"),
            "a priority is stated, and no communication stream to have it");
  EXPECT_EQ(objection("plan-priority", sites, "s1 lsa/stream/flag/cta/whole\nschedule streams=1 priority=high"), "");
}

TEST(PlanLegality, OrderBelongsToIndependentWork) {
  SiteFacts dependent = changed([](SiteFacts& s) { s.overlap_count = 0; });
  std::string plan = "s1 lsa/deferred/flag/cta/whole\nschedule order=remote-first";
  EXPECT_EQ(objection("plan-order", {dependent}, plan),
            "no work of one iteration is independent of a site, so there is one order, as-written");
  EXPECT_EQ(objection("plan-order", {test_site("s1")}, plan), "");
}

TEST(PlanLegality, BlocksWaitForSingleMessages) {
  SiteFacts unread = changed([](SiteFacts& s) { s.consumers.clear(); });
  SiteFacts read = unread;
  read.consumers.resize(1);
  read.consumers[0].has_body = true;
  std::string plan = "s1 lsa/stream/flag/cta/whole\nschedule streams=1 waits=blocks";
  EXPECT_EQ(objection("plan-waits", {read}, plan), "");
  EXPECT_EQ(objection("plan-waits", {unread}, plan), "no kernel of the program reads what a site receives");
  for (const char* line : {"s1 lsa/stream/barrier/cta/whole", "s1 lsa/deferred/flag/cta/whole"})
    EXPECT_EQ(objection("plan-waits", {read}, concat(line, "\nschedule waits=blocks")),
              "blocks wait for single messages, and no site has placement stream, split or tile-fused with "
              "a sync by message");
}

TEST(PlanLegality, ViolationsOfASiteAreLedByItsName) {
  std::vector<SiteFacts> sites = {test_site("s1")};
  EXPECT_EQ(objection("gin-nic", sites, "s1 gin/deferred/barrier/cta/whole"),
            "s1: box is one node without a NIC between its ranks, and every put goes through a NIC");
}

}  // namespace
}  // namespace cuco::space
