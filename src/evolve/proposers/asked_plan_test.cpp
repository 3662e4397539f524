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

TEST_F(AskedPlanTest, MakesNoChoiceThatIsKnownToBeSlower) {
  auto asks_for_gin = [&] {
    int count = 0;
    for (int i = 0; i < 20; ++i)
      if (std::optional<space::Plan> plan = asked(ProposalKind::Full))
        count += plan->choices[0].directive.backend == space::Backend::Gin;
    return count;
  };
  EXPECT_GT(asks_for_gin(), 0);
  const char* const host = "s1 host/deferred/stream-event/cta/whole\n";
  for (store::Id id : {5, 6}) add(gather_member(id, "void step() { wait(); }\n", host, 60));
  EXPECT_EQ(asks_for_gin(), 0) << "three programs through gin take longer than two through the host";
}

TEST_F(AskedPlanTest, WithoutSitesTheModelChooses) {
  EXPECT_FALSE(untried_legal_plans({}, profile)(ProposalKind::Full, assignment, random).has_value());
}

}  // namespace
}  // namespace cuco::evolve
