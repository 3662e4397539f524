#include "evolve/population.h"

#include <gtest/gtest.h>

#include <set>

#include "evolve/fixtures.h"

namespace cuco::evolve {
namespace {

Population population_of(const std::vector<Member>& members, PopulationOptions options = {}) {
  Population population(options);
  for (const Member& member : members) population.add(member, member.candidate.id == 1);
  return population;
}

TEST(Population, IslandsRankWhatPassedBestFirst) {
  Population population = population_of({member_with(1, 900), member_with(2, 700, {}, 0), member_with(3, {}, {}, 0),
                                         member_with(4, 500, {}, 1), member_with(5, 800, {}, 0)});
  EXPECT_EQ(population.ranked(0), (std::vector<size_t>{1, 4, 0}));
  EXPECT_EQ(population.ranked(1), (std::vector<size_t>{3, 0}));
  EXPECT_EQ(population.best(), 3u);
  EXPECT_EQ(population.recent_failures(5), (std::vector<size_t>{2}));
  EXPECT_EQ(population.top(0, 2, 1), (std::vector<size_t>{4, 0}));
}

TEST(Population, WhatIsRightAndUntimedIsNoFailure) {
  Member untimed = member_with(2, std::nullopt);
  untimed.verdict = {};
  untimed.verdict.reached = evaluate::Level::Verified;
  Population population = population_of({member_with(1, 900), untimed, member_with(3, std::nullopt)});
  EXPECT_EQ(population.recent_failures(5), (std::vector<size_t>{2}));
}

TEST(Population, ChildrenAreCounted) {
  Member child = member_with(2, 700), grandchild = member_with(3, 600);
  child.candidate.parent = 1;
  grandchild.candidate.parent = 2;
  grandchild.candidate.other_parent = 1;
  Population population = population_of({member_with(1, 900), child, grandchild});
  EXPECT_EQ(population.members()[0].children, 2u);
  EXPECT_EQ(population.members()[1].children, 1u);
}

TEST(Population, BestsMigrateAlongTheRingAsCopies) {
  PopulationOptions options;
  options.islands = 3;
  Population population =
      population_of({member_with(1, 900), member_with(2, 500, {}, 0), member_with(3, 600, {}, 1)}, options);
  std::vector<Migration> moves = population.migrate();
  // The best of island 2 is the baseline, which island 0 has.
  EXPECT_EQ(moves, (std::vector<Migration>{{1, 0, 1}, {2, 1, 2}}));
  EXPECT_EQ(population.ranked(0), (std::vector<size_t>{1, 0}));
  EXPECT_EQ(population.ranked(1), (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(population.ranked(2), (std::vector<size_t>{2, 0}));
}

TEST(Population, MigrationFollowsAGivenGraph) {
  PopulationOptions options;
  options.islands = 3;
  options.migration_graph = {{2}, {}, {}};
  Population population =
      population_of({member_with(1, 900), member_with(2, 500, {}, 0), member_with(3, 600, {}, 1)}, options);
  EXPECT_EQ(population.migrate(), (std::vector<Migration>{{1, 0, 2}}));
}

TEST(Population, SelectsTwoDifferentParentsOfTheIsland) {
  Population population = population_of({member_with(1, 900), member_with(2, 700), member_with(3, 500, {}, 1)});
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    Parents parents = population.select(0, Selection::Uniform, 1, random);
    ASSERT_TRUE(parents.second.has_value());
    EXPECT_NE(parents.first, *parents.second);
    EXPECT_NE(parents.first, 2u);
    EXPECT_NE(*parents.second, 2u);
  }
}

TEST(Population, BaselineIsTheParentWhenItIsAlone) {
  Population population = population_of({member_with(1, 900), member_with(2, {})});
  Random random(3);
  Parents parents = population.select(0, Selection::Weighted, 1, random);
  EXPECT_EQ(parents.first, 0u);
  EXPECT_FALSE(parents.second.has_value());
}

TEST(Population, WhoIsDisqualifiedIsNeitherBestNorParent) {
  Population population = population_of({member_with(1, 900), member_with(2, 500), member_with(3, 600)});
  population.at(1).score = 0;
  population.disqualify(1);
  EXPECT_EQ(population.best(), 2u);
  EXPECT_EQ(population.ranked(0), (std::vector<size_t>{2, 0}));
}

space::Plan plan_of(std::string_view text) { return space::parse_plan(text, "").value(); }

TEST(Archive, CellKeepsItsBest) {
  Archive archive(10);
  space::Plan split = plan_of("s1 gin/split/peer-signal/cta/whole");
  EXPECT_TRUE(archive.add(0, 5, split));
  EXPECT_FALSE(archive.add(1, 4, split));
  EXPECT_FALSE(archive.add(2, 5, split));
  EXPECT_EQ(archive.members(), std::vector<size_t>{0});
  EXPECT_TRUE(archive.add(3, 6, split));
  EXPECT_EQ(archive.members(), std::vector<size_t>{3});
}

TEST(Archive, SlowMembersOfOtherCellsStay) {
  Archive archive(10);
  archive.add(0, 100, plan_of("s1 gin/split/peer-signal/cta/whole"));
  EXPECT_TRUE(archive.add(1, 1, plan_of("s1 gin/stream/peer-signal/cta/whole")));
  EXPECT_TRUE(archive.add(2, 1, plan_of("s1 gin/split/peer-signal/cta/64KiB")));
  EXPECT_TRUE(archive.add(3, 1, plan_of("s1 gin/split/peer-signal/cta/whole\nschedule order=remote-first")));
  EXPECT_EQ(archive.members().size(), 4u);
}

TEST(Archive, SlowestCellGoesWhenThereIsNoRoom) {
  Archive archive(2);
  archive.add(0, 3, plan_of("s1 gin/split/peer-signal/cta/whole"));
  archive.add(1, 1, plan_of("s1 gin/stream/peer-signal/cta/whole"));
  EXPECT_TRUE(archive.add(2, 2, plan_of("s1 lsa/split/barrier/cta/whole")));
  EXPECT_FALSE(archive.add(3, 1, plan_of("s1 lsa/split/flag/cta/whole")));
  std::vector<size_t> kept = archive.members();
  EXPECT_EQ(std::set<size_t>(kept.begin(), kept.end()), (std::set<size_t>{0, 2}));
}

TEST(Archive, ManySitesDoNotMakeManyKinds) {
  space::Plan a = plan_of("s1 gin/split/peer-signal/cta/whole\ns2 gin/stream/peer-signal/cta/whole");
  space::Plan b = plan_of("s1 gin/stream/peer-signal/cta/whole\ns2 gin/split/peer-signal/cta/whole");
  EXPECT_EQ(cell_of(a), cell_of(b));
}

TEST(Archive, SampleLeavesTheParentOut) {
  Archive archive(10);
  archive.add(0, 3, plan_of("s1 gin/split/peer-signal/cta/whole"));
  archive.add(1, 1, plan_of("s1 gin/stream/peer-signal/cta/whole"));
  Random random(1);
  EXPECT_EQ(archive.sample(5, 0, random), std::vector<size_t>{1});
}

}  // namespace
}  // namespace cuco::evolve
