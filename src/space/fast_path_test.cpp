#include "space/fast_path.h"

#include <gtest/gtest.h>

#include "space/fixtures.h"
#include "space/plan_legality.h"

namespace cuco::space {
namespace {

std::string choice(const SiteFacts& site, const model::HardwareProfile& profile) {
  return to_text(fast_path_plan({site}, profile).choices.front().directive);
}

TEST(FastPath, StoresInsideOneNodeAndPutsBetweenSeveral) {
  EXPECT_EQ(choice(test_site(), nvlink_box()), "lsa/deferred/barrier/cta/whole");
  EXPECT_EQ(choice(test_site(), two_nodes()), "gin/deferred/barrier/cta/whole");
}

TEST(FastPath, WaitsForPeersWhereNotEveryRankComes) {
  SiteFacts site = changed([](SiteFacts& s) { s.condition = "rank == 0"; });
  EXPECT_EQ(choice(site, nvlink_box()), "lsa/deferred/flag/cta/whole");
  EXPECT_EQ(choice(site, two_nodes()), "gin/deferred/peer-signal/cta/whole");
}

TEST(FastPath, BlockedSiteAndItsPartnersStayOnTheHost) {
  std::vector<SiteFacts> sites = {transfer_site("s1", model::Collective::Send),
                                  transfer_site("s2", model::Collective::Recv), test_site("s3")};
  sites[1].blockers = {"`x` is managed memory"};
  Plan plan = fast_path_plan(sites, nvlink_box());
  EXPECT_EQ(to_text(plan.choices[0].directive), "host/deferred/stream-event/cta/whole");
  EXPECT_EQ(to_text(plan.choices[1].directive), "host/deferred/stream-event/cta/whole");
  EXPECT_EQ(to_text(plan.choices[2].directive), "lsa/deferred/barrier/cta/whole");
}

TEST(FastPath, IsLegal) {
  for (const SiteFacts& site : varied_sites())
    for (const model::HardwareProfile& profile : varied_profiles())
      EXPECT_TRUE(check(std::vector<SiteFacts>{site}, fast_path_plan({site}, profile), profile).empty());
}

}  // namespace
}  // namespace cuco::space
