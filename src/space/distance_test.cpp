#include "space/distance.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "space/enumerate.h"
#include "space/fixtures.h"

namespace cuco::space {
namespace {

std::vector<Directive> sampled_directives() {
  Random random(17);
  std::vector<Directive> all = {directive("gin/split/flag/cta/16B"), directive("gin/split/flag/cta/4GiB")};
  std::vector<Directive> legal = legal_directives(test_site(), two_nodes_of_four());
  for (int i = 0; i < 40; ++i) all.push_back(random.pick(legal));
  return all;
}

std::vector<Plan> sampled_plans() {
  Random random(19);
  std::vector<SiteFacts> sites = {test_site("s1"), test_site("s2")};
  std::vector<Plan> plans;
  for (int i = 0; i < 20; ++i) plans.push_back(sample_plan(sites, nvlink_box(), random));
  for (int i = 0; i < 5; ++i) plans.push_back(sample_plan({test_site("s2")}, nvlink_box(), random));
  return plans;
}

template <typename T>
void expect_metric(const std::vector<T>& points) {
  for (const T& a : points)
    for (const T& b : points) {
      EXPECT_EQ(distance(a, b) == 0, a == b) << to_text(a) << " " << to_text(b);
      EXPECT_EQ(distance(a, b), distance(b, a));
      for (const T& c : points) EXPECT_LE(distance(a, c), distance(a, b) + distance(b, c) + 1e-12);
    }
}

TEST(Distance, IsAMetricOnDirectives) { expect_metric(sampled_directives()); }

TEST(Distance, IsAMetricOnPlans) { expect_metric(sampled_plans()); }

TEST(Distance, CountsDimensionsThatDiffer) {
  Directive origin = directive("gin/split/peer-signal/cta/whole");
  EXPECT_EQ(distance(origin, directive("gin/split/peer-signal/warp/whole")), 1);
  EXPECT_EQ(distance(origin, directive("lsa/deferred/flag/warp/64KiB")), 5);
}

TEST(Distance, MeasuresChunksByDoublings) {
  Directive origin = directive("gin/split/chunk-signal/cta/64KiB");
  EXPECT_EQ(distance(origin, directive("gin/split/chunk-signal/cta/128KiB")), 1.0 / 16);
  EXPECT_EQ(distance(origin, directive("gin/split/chunk-signal/cta/16KiB")), 2.0 / 16);
  EXPECT_EQ(distance(origin, directive("gin/split/chunk-signal/cta/whole")), 1);
}

TEST(Distance, SiteOfOnePlanAloneCountsInFull) {
  Plan one = *parse_plan("s1 lsa/deferred/flag/cta/whole", "");
  Plan two = *parse_plan("s1 lsa/deferred/flag/warp/whole\ns2 lsa/deferred/flag/cta/whole\nschedule ctas=2", "");
  EXPECT_EQ(distance(one, two), 1 + 5 + 1);
}

}  // namespace
}  // namespace cuco::space
