#include "evolve/proposers/asked_plan.h"

#include "evolve/proposers/model_fixtures.h"
#include "space/distance.h"
#include "space/fixtures.h"
#include "space/plan_legality.h"

namespace cuco::evolve {
namespace {

using agent::ProposalKind;

class AskedPlanTest : public ModelTest {
 protected:
  std::optional<space::Plan> asked(ProposalKind kind) { return choose(kind, assignment, random); }

  const std::vector<space::SiteFacts> sites = {space::test_site()};
  const model::HardwareProfile profile = space::two_nodes();
  const ChoosePlan choose = untried_legal_plans(sites, profile);
  Random random{3};
};

TEST_F(AskedPlanTest, IsLegalAndUntriedWhateverTheKind) {
  assignment.other_parent = &members[1];
  for (ProposalKind kind : {ProposalKind::Full, ProposalKind::Diff})
    for (int i = 0; i < 20; ++i) {
      std::optional<space::Plan> plan = asked(kind);
      ASSERT_TRUE(plan.has_value());
      EXPECT_TRUE(space::check(sites, *plan, profile).empty()) << space::to_text(*plan);
      for (const Member& member : members) EXPECT_NE(*plan, *member.plan);
    }
}

TEST_F(AskedPlanTest, ASmallChangeIsOneDimensionAwayFromTheParent) {
  for (int i = 0; i < 20; ++i) {
    std::optional<space::Plan> plan = asked(ProposalKind::Diff);
    ASSERT_TRUE(plan.has_value());
    EXPECT_LE(space::distance(plan->choices[0].directive, members[0].plan->choices[0].directive), 1);
  }
}

TEST_F(AskedPlanTest, WhenAllMixturesOfTwoWereTriedTheModelChooses) {
  assignment.other_parent = &members[1];
  EXPECT_FALSE(asked(ProposalKind::Crossover).has_value());
}

TEST_F(AskedPlanTest, WithoutSitesTheModelChooses) {
  EXPECT_FALSE(untried_legal_plans({}, profile)(ProposalKind::Full, assignment, random).has_value());
}

}  // namespace
}  // namespace cuco::evolve
