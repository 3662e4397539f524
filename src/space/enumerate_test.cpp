#include "space/enumerate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "space/distance.h"
#include "space/fixtures.h"
#include "space/plan_legality.h"

namespace cuco::space {
namespace {

using model::Collective;

std::vector<Directive> filtered(const SiteFacts& site, const model::HardwareProfile& profile) {
  std::vector<Directive> legal;
  for_each_combination([&](const Directive& directive) {
    if (check(site, directive, profile).empty()) legal.push_back(directive);
  });
  return legal;
}

TEST(Enumerate, FindsWhatFilteringEveryCombinationFinds) {
  for (const SiteFacts& site : varied_sites())
    for (const model::HardwareProfile& profile : varied_profiles())
      EXPECT_EQ(legal_directives(site, profile), filtered(site, profile));
}

TEST(Enumerate, DirectivesAreSortedAndUnique) {
  std::vector<Directive> legal = legal_directives(test_site(), two_nodes_of_four());
  EXPECT_TRUE(std::ranges::is_sorted(legal));
  EXPECT_EQ(std::ranges::adjacent_find(legal), legal.end());
}

// host: 2 placements x 2 syncs, one issuer, whole only, since an all-gather cannot be cut.
// gin: deferred, split, stream, specialised: barrier and peer-signal with 8 chunks, chunk-signal with 7; 4 issuers.
//      tile-fused: barrier, peer-signal, chunk-signal with 7 chunks; 4 issuers.
TEST(Enumerate, CountsWhatThePencilCounts) {
  size_t host = 2 * 2;
  size_t gin = 4 * (8 + 8 + 7) * 4 + 3 * 7 * 4;
  EXPECT_EQ(legal_directives(test_site(), two_nodes()).size(), host + gin);
}

TEST(Enumerate, NeighboursAreTheLegalDirectivesThatDifferInOneDimension) {
  SiteFacts site = test_site();
  model::HardwareProfile profile = nvlink_box();
  std::vector<Directive> legal = legal_directives(site, profile);
  Directive centre = directive("lsa/split/barrier/cta/64KiB");
  std::set<Directive> expected;
  for (const Directive& other : legal) {
    int differing = 0;
    for (Dimension dimension : kDimensions) differing += value_text(other, dimension) != value_text(centre, dimension);
    if (differing == 1) expected.insert(other);
  }
  std::vector<Directive> found = neighbours(site, centre, profile);
  EXPECT_EQ(std::set<Directive>(found.begin(), found.end()), expected);
  EXPECT_EQ(found.size(), expected.size());
}

TEST(Enumerate, NeighboursOfASizeOffTheLadderKeepIt) {
  std::vector<Directive> found = neighbours(test_site(), directive("lsa/deferred/barrier/cta/32KiB"), nvlink_box());
  EXPECT_NE(std::ranges::find(found, directive("lsa/deferred/barrier/warp/32KiB")), found.end());
  EXPECT_NE(std::ranges::find(found, directive("lsa/deferred/barrier/cta/64KiB")), found.end());
}

std::vector<SiteFacts> ring_and_gather() {
  return {test_site("s1"), transfer_site("s2", Collective::Send), transfer_site("s3", Collective::Recv)};
}

TEST(Enumerate, SampledPlansAreLegal) {
  Random random(3);
  for (const model::HardwareProfile& profile : varied_profiles()) {
    for (int i = 0; i < 100; ++i) {
      Plan plan = sample_plan(ring_and_gather(), profile, random);
      for (const Violation& violation : check(ring_and_gather(), plan, profile))
        ADD_FAILURE() << violation.rule << ": " << violation.reason << "\n" << to_text(plan);
    }
  }
}

TEST(Enumerate, SameSeedGivesTheSamePlans) {
  Random first(5);
  Random second(5);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(sample_plan(ring_and_gather(), nvlink_box(), first),
              sample_plan(ring_and_gather(), nvlink_box(), second));
}

TEST(Crossover, ChildrenTakeEachSiteFromAParentAndAreLegal) {
  Random random(7);
  model::HardwareProfile profile = two_nodes_of_four();
  std::vector<SiteFacts> sites = ring_and_gather();
  for (int i = 0; i < 200; ++i) {
    Plan a = sample_plan(sites, profile, random);
    Plan b = sample_plan(sites, profile, random);
    Plan child = crossover(a, b, sites, profile, random);
    EXPECT_TRUE(check(sites, child, profile).empty()) << to_text(child);
    for (size_t site = 0; site < sites.size(); ++site)
      EXPECT_TRUE(child.choices[site] == a.choices[site] || child.choices[site] == b.choices[site]);
  }
}

TEST(Crossover, EndsOfOneExchangeComeFromTheSameParent) {
  std::vector<SiteFacts> sites = ring_and_gather();
  Plan a =
      *parse_plan("s1 lsa/deferred/flag/cta/whole\ns2 lsa/deferred/flag/cta/whole\ns3 lsa/split/flag/cta/whole", "");
  Plan b =
      *parse_plan("s1 lsa/split/flag/cta/whole\ns2 lsa/split/flag/warp/whole\ns3 lsa/deferred/flag/warp/whole", "");
  Random random(9);
  std::set<std::string> children;
  for (int i = 0; i < 100; ++i) children.insert(to_text(crossover(a, b, sites, nvlink_box(), random)));
  EXPECT_EQ(children.size(), 4u);
}

TEST(Crossover, SiteThatOneParentLacksComesFromTheOther) {
  std::vector<SiteFacts> sites = {test_site("s1"), test_site("s2")};
  Plan a = *parse_plan("s1 lsa/deferred/flag/cta/whole\ns2 lsa/deferred/flag/cta/whole", "");
  Plan b = *parse_plan("s1 lsa/deferred/barrier/cta/whole", "");
  Random random(1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(crossover(a, b, sites, nvlink_box(), random).choices[1], a.choices[1]);
}

TEST(Enumerate, ExchangesKeepTheOrderOfTheSites) {
  std::vector<SiteFacts> sites = {transfer_site("s1", Collective::Send), test_site("s2"),
                                  transfer_site("s3", Collective::Recv)};
  EXPECT_EQ(exchanges_of(sites), (std::vector<std::vector<size_t>>{{0, 2}, {1}}));
}

}  // namespace
}  // namespace cuco::space
