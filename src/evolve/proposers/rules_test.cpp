#include "evolve/proposers/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "evolve/fixtures.h"
#include "evolve/proposers/change_text.h"
#include "evolve/proposers/plan_moves.h"
#include "space/fast_path.h"
#include "space/plan_legality.h"
#include "testing/plan_landscape.h"

namespace cuco::evolve {
namespace {

using ::cuco::testing::LandscapeEvaluator;
using ::cuco::testing::PlanLandscape;

model::HardwareProfile costed(model::HardwareProfile profile) {
  profile.latencies = {5, 1, 5, 2, 10, 1};
  return profile;
}

PlanLandscape two_sites() {
  return PlanLandscape({space::test_site("s1"), space::test_site("s2")}, costed(space::two_nodes_of_four()));
}

RulesInput rules_input(const PlanLandscape& landscape) {
  RulesInput input;
  input.sites = landscape.sites();
  input.profile = landscape.profile();
  input.fast_path = space::fast_path_plan(input.sites, input.profile);
  input.write = [&landscape](const space::Plan& plan) { return landscape.write(plan); };
  return input;
}

space::Plan host_plan(const PlanLandscape& landscape) {
  space::Plan plan;
  for (const space::SiteFacts& site : landscape.sites()) plan.choices.push_back({site.name, {}});
  return plan;
}

store::Candidate candidate_for(const PlanLandscape& landscape, const space::Plan& plan, const char* proposer) {
  store::Candidate candidate;
  candidate.plan = space::to_text(plan);
  candidate.files = landscape.write(plan).value();
  candidate.proposer = proposer;
  return candidate;
}

// A whole search by rules in the landscape.
struct RulesSearch {
  explicit RulesSearch(const PlanLandscape& landscape, uint64_t seed = 1, uint32_t budget = 60) : evaluator(landscape) {
    RulesInput rules = rules_input(landscape);
    input.options.seed = seed;
    input.options.budget_evaluations = budget;
    input.options.plateau = 0;
    input.options.bound_share = 2;
    input.baseline = candidate_for(landscape, host_plan(landscape), "baseline");
    input.first = {candidate_for(landscape, rules.fast_path, "fast-path")};
    input.proposers.push_back({std::make_unique<RulesProposer>(rules), {}});
    input.evaluator = &evaluator;
  }

  LandscapeEvaluator evaluator;
  SearchInput input;
};

std::vector<store::Candidate> candidates_of(const std::vector<store::Step>& steps) {
  std::vector<store::Candidate> all;
  for (const store::Step& step : steps) all.insert(all.end(), step.candidates.begin(), step.candidates.end());
  return all;
}

double best_time(const std::vector<store::Step>& steps) {
  double best = 1e300;
  for (const store::Step& step : steps)
    for (const store::Judgement& judgement : step.judgements)
      if (judgement.passed) best = std::min(best, *judgement.time_us);
  return best;
}

space::Plan climbed(const PlanLandscape& landscape, PlanSpace& space, space::Plan plan) {
  auto time_of = [&](const space::Plan& each) {
    bool counts = space.is_legal(each) && landscape.write(each).ok() && landscape.verdict(each).passed();
    return counts ? landscape.time_us(each) : 1e300;
  };
  for (bool better = true; better;) {
    better = false;
    for (const space::Plan& next : neighbours(space, plan)) {
      if (time_of(next) >= time_of(plan)) continue;
      plan = next;
      better = true;
    }
  }
  return plan;
}

// By climbing from many places with as many evaluations as it takes.
double least_time(const PlanLandscape& landscape) {
  RulesInput input = rules_input(landscape);
  PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
  Random random(9);
  double least = 1e300;
  for (int climb = 0; climb < 30; ++climb)
    least = std::min(least, landscape.time_us(climbed(landscape, space, sampled(space, random))));
  return least;
}

TEST(Rules, FindTheBestPlanOfALandscapeWithinTheBudget) {
  PlanLandscape landscape = two_sites();
  double least = least_time(landscape), baseline = landscape.time_us(host_plan(landscape));
  for (uint64_t seed : {1, 2, 3}) {
    RulesSearch search(landscape, seed);
    double found = best_time(run_to_end(search.input));
    EXPECT_GT((baseline - found) / (baseline - least), 0.95) << "seed " << seed << ": " << found << " of " << least;
  }
}

// The second site has nothing to run beside, so no stream of its own is legal for it, unless its own producer is cut.
TEST(Ideas, SiteThatCannotFollowTakesTheSameWayForItsBytes) {
  std::vector<space::SiteFacts> sites = {space::test_site("s1"), space::test_site("s2")};
  sites[1].overlap_count = 0;
  PlanLandscape landscape(sites, costed(space::two_nodes_of_four()));
  RulesInput input = rules_input(landscape);
  PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
  std::set<space::Backend> backends;
  for (const Idea& idea : expert_ideas(space)) {
    const space::Directive &first = idea.plan.choices[0].directive, &second = idea.plan.choices[1].directive;
    if (first.placement != space::Placement::Stream || second.backend == space::Backend::Host) continue;
    bool cut = second.chunk_bytes != space::kWholeMessage;
    EXPECT_EQ(second.placement, cut ? space::Placement::Stream : space::Placement::Deferred);
    EXPECT_EQ(second.backend, first.backend);
    backends.insert(first.backend);
  }
  EXPECT_EQ(backends, (std::set<space::Backend>{space::Backend::Gin, space::Backend::Hybrid}));
}

TEST(Ideas, BlocksMayWaitWhereAKernelReadsWhatComes) {
  std::vector<space::SiteFacts> sites = {space::test_site("s1")};
  auto some_wait = [&] {
    PlanLandscape landscape(sites, costed(space::two_nodes_of_four()));
    RulesInput input = rules_input(landscape);
    PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
    std::vector<Idea> ideas = expert_ideas(space);
    return std::ranges::any_of(ideas,
                               [](const Idea& idea) { return idea.plan.schedule.waits == space::Waits::Blocks; });
  };
  EXPECT_TRUE(some_wait());
  sites[0].consumers.clear();
  EXPECT_FALSE(some_wait());
}

TEST(Ideas, SomeBlocksMayDoNothingButCommunicate) {
  PlanLandscape landscape = two_sites();
  RulesInput input = rules_input(landscape);
  auto write = [](const space::Plan&) { return Result<std::vector<SourceFile>>(std::vector<SourceFile>{}); };
  PlanSpace space(input.sites, input.profile, input.fast_path, write);
  EXPECT_TRUE(std::ranges::any_of(expert_ideas(space), [](const Idea& idea) {
    const space::Directive& first = idea.plan.choices[0].directive;
    return first.placement == space::Placement::Specialised && first.chunk_bytes != space::kWholeMessage &&
           idea.plan.schedule.communication_ctas == 2;
  }));
}

TEST(Ideas, TheFirstOnesTellTheWaysForTheBytesApart) {
  PlanLandscape landscape = two_sites();
  RulesInput input = rules_input(landscape);
  PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
  std::vector<Idea> ideas = expert_ideas(space);
  std::set<space::Backend> early;
  for (size_t i = 0; i < 8; ++i) early.insert(ideas.at(i).plan.choices[0].directive.backend);
  EXPECT_EQ(early, (std::set<space::Backend>{space::Backend::Gin, space::Backend::Hybrid}));
  for (const Idea& idea : ideas) EXPECT_TRUE(space.is_legal(idea.plan)) << space::to_text(idea.plan);
}

// Values near the plan's own come before far ones, and no step leaves a unit behind that could follow.
TEST(PlanMoves, RefinementsTakeTheNearestValueOfEveryAxisFirst) {
  PlanLandscape landscape = two_sites();
  RulesInput input = rules_input(landscape);
  PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
  space::Plan plan = expert_ideas(space).front().plan;
  std::vector<space::Plan> steps = refinements(space, plan);
  auto changes = [&](const space::Plan& step, Axis axis) {
    return differing_axes(plan, step) == std::vector<Axis>{axis};
  };
  auto first_cta_step = std::ranges::find_if(steps, [&](const auto& step) { return changes(step, Axis::Ctas); });
  ASSERT_NE(first_cta_step, steps.end());
  EXPECT_EQ(plan.schedule.communication_ctas, 8u);
  EXPECT_EQ(first_cta_step->schedule.communication_ctas, 4u);
  auto last_cta_step =
      std::ranges::find_if(steps.rbegin(), steps.rend(), [&](const auto& step) { return changes(step, Axis::Ctas); });
  EXPECT_EQ(last_cta_step->schedule.communication_ctas, 64u);
  for (const space::Plan& step : steps)
    if (changes(step, Axis::Issuer)) {
      EXPECT_EQ(step.choices[0].directive, step.choices[1].directive);
    }
}

TEST(Ideas, KernelsSideBySideAreAlsoTriedWithMoreCtas) {
  PlanLandscape landscape = two_sites();
  RulesInput input = rules_input(landscape);
  PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
  std::vector<uint32_t> ctas;
  for (const Idea& idea : expert_ideas(space))
    if (idea.plan.schedule.order == space::WorkOrder::SideBySide) ctas.push_back(idea.plan.schedule.communication_ctas);
  EXPECT_EQ(ctas, (std::vector<uint32_t>{8, 16}));
}

TEST(Rules, RefineTheBestOfTheMomentUnlessToldNotTo) {
  PlanLandscape landscape = two_sites();
  for (bool climbs : {true, false}) {
    RulesSearch search(landscape, 1, 40);
    RulesInput rules = rules_input(landscape);
    rules.climbs = climbs;
    search.input.proposers.clear();
    search.input.proposers.push_back({std::make_unique<RulesProposer>(rules), {}});
    size_t refined = 0;
    for (const store::Candidate& candidate : candidates_of(run_to_end(search.input))) {
      if (candidate.intent.find("it refines the best so far") == std::string::npos) continue;
      ++refined;
      EXPECT_TRUE(candidate.intent.ends_with(concat("#", candidate.parent, "."))) << candidate.intent;
    }
    EXPECT_EQ(refined > 5, climbs) << refined;
  }
}

TEST(Ideas, TheFinestPartsComeEarly) {
  PlanLandscape landscape = two_sites();
  RulesInput input = rules_input(landscape);
  PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
  const space::Directive& second = expert_ideas(space).at(1).plan.choices[0].directive;
  EXPECT_EQ(second.chunk_bytes, space.cuts(0).back());
  EXPECT_EQ(second.placement, space::Placement::Stream);
}

TEST(Ideas, PeersComeFirstEarlyWhereEverybodySendsToEverybody) {
  auto comes_early = [](model::GroupPattern pattern) {
    std::vector<space::SiteFacts> sites = {space::test_site("s1"), space::test_site("s2")};
    for (space::SiteFacts& site : sites) site.group_pattern = pattern;
    PlanLandscape landscape(sites, costed(space::two_nodes_of_four()));
    RulesInput input = rules_input(landscape);
    PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
    const space::Schedule schedule = expert_ideas(space).at(2).plan.schedule;
    return schedule.order == space::WorkOrder::RemoteFirst && schedule.streams == 2;
  };
  EXPECT_TRUE(comes_early(model::GroupPattern::AllToAll));
  EXPECT_FALSE(comes_early(model::GroupPattern::Ring));
}

TEST(Ideas, ManyCtasForTheFinestPartsComeEarlyWhereSumsAreMade) {
  auto comes_early = [](const std::string& reduction) {
    std::vector<space::SiteFacts> sites = {space::test_site("s1"), space::test_site("s2")};
    for (space::SiteFacts& site : sites) site.reduction = reduction;
    PlanLandscape landscape(sites, costed(space::two_nodes_of_four()));
    RulesInput input = rules_input(landscape);
    PlanSpace space(input.sites, input.profile, input.fast_path, input.write);
    const space::Plan plan = expert_ideas(space).at(2).plan;
    return plan.schedule.communication_ctas == 16 && plan.choices[0].directive.chunk_bytes == space.cuts(0).back();
  };
  EXPECT_TRUE(comes_early("ncclSum"));
  EXPECT_FALSE(comes_early(""));
}

TEST(Rules, NeverProposeAPlanOrATextTwice) {
  PlanLandscape landscape = two_sites();
  RulesSearch search(landscape, 4, 150);
  std::vector<store::Candidate> candidates = candidates_of(run_to_end(search.input));
  EXPECT_EQ(candidates.size(), 150u);
  std::set<std::string> plans, texts;
  for (const store::Candidate& candidate : candidates) {
    EXPECT_EQ(candidate.failure, "");
    EXPECT_TRUE(plans.insert(candidate.plan).second) << candidate.plan;
    EXPECT_TRUE(texts.insert(text_key(candidate.files)).second) << candidate.plan;
  }
}

TEST(Rules, ProposeOnlyWhatIsLegalAndCanBeWritten) {
  PlanLandscape landscape = two_sites();
  RulesSearch search(landscape, 5, 100);
  for (const store::Candidate& candidate : candidates_of(run_to_end(search.input))) {
    space::Plan plan = space::parse_plan(candidate.plan, "").value();
    EXPECT_TRUE(space::check(landscape.sites(), plan, landscape.profile()).empty()) << candidate.plan;
    EXPECT_TRUE(landscape.write(plan).ok());
    EXPECT_TRUE(candidate.proposer == "baseline" || candidate.proposer == "fast-path" ||
                candidate.intent.starts_with("Changes "))
        << candidate.intent;
  }
}

TEST(Rules, ResumedBehindAnyStepGiveTheSameSteps) {
  PlanLandscape landscape = two_sites();
  RulesSearch search(landscape, 6, 40);
  std::vector<store::Step> whole = run_to_end(search.input);
  for (size_t done = 1; done < whole.size(); done += 5) {
    RulesSearch resumed(landscape, 6, 40);
    std::vector<store::Step> begin(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(done));
    EXPECT_EQ(to_texts(run_to_end(resumed.input, begin)), to_texts(whole)) << "after step " << done;
  }
}

// Only deferred through the NIC can be written, by one CTA: nothing but the fast path and the host's calls is left.
TEST(Rules, SmallSpaceIsExhaustedAndSaysSo) {
  PlanLandscape landscape({space::test_site("s1"), space::test_site("s2")}, costed(space::two_nodes()));
  RulesSearch search(landscape);
  RulesInput rules = rules_input(landscape);
  rules.write = [&](const space::Plan& plan) -> Result<std::vector<SourceFile>> {
    bool any = false;
    for (const space::SiteChoice& choice : plan.choices) {
      bool host = choice.directive.backend == space::Backend::Host;
      any = any || !host;
      if (!host && choice.directive != space::directive("gin/deferred/barrier/cta/whole")) return Error{"no rule"};
    }
    if (!any) return Error{"nothing to rewrite"};
    return landscape.write(plan);
  };
  search.input.proposers.front().proposer = std::make_unique<RulesProposer>(rules);
  std::vector<store::Step> steps = run_to_end(search.input);
  // Baseline, fast path, and either site alone; a different order gives another text in this landscape.
  std::set<std::string> directives;
  for (const store::Candidate& candidate : candidates_of(steps))
    directives.insert(candidate.plan.substr(0, candidate.plan.find("schedule")));
  EXPECT_EQ(directives.size(), 4u);
  EXPECT_EQ(candidates_of(steps).size(), 2u + 2 + 3 * (space::kWorkOrderCount - 1));
}

TEST(Rules, ProgramWithoutSitesHasNoIdeas) {
  RulesInput input;
  input.profile = space::two_nodes();
  input.write = [](const space::Plan&) -> Result<std::vector<SourceFile>> { return Error{"nothing to rewrite"}; };
  RulesProposer rules(input);
  std::vector<Member> members = {member_with(1, 100)};
  Assignment assignment;
  assignment.baseline = assignment.parent = &members[0];
  assignment.members = &members;
  Random random(1);
  EXPECT_FALSE(rules.propose(assignment, random).value().has_value());
}

Member with_path(Member member, const evaluate::CriticalPath& path) {
  member.verdict.timing->path = path;
  return member;
}

double weight(const AxisWeights& weights, Axis axis) { return weights[static_cast<size_t>(axis)]; }

TEST(AxisLearning, CriticalPathSaysWhatToAttackFirst) {
  AxisLearning learning;
  AxisWeights exposed = learning.weights(with_path(member_with(1, 100), {20, 0, 70, 5, 5}));
  AxisWeights waiting = learning.weights(with_path(member_with(1, 100), {20, 0, 5, 5, 70}));
  AxisWeights launching = learning.weights(with_path(member_with(1, 100), {20, 0, 5, 70, 5}));
  EXPECT_GT(weight(exposed, Axis::Placement), weight(exposed, Axis::Order));
  EXPECT_GT(weight(waiting, Axis::Order), weight(waiting, Axis::Chunk));
  EXPECT_GT(weight(launching, Axis::Chunk), weight(launching, Axis::Placement));
}

TEST(AxisLearning, AxisThatPaidIsTriedMore) {
  std::vector<Member> members = {member_with(1, 1000, "s1 gin/deferred/barrier/cta/whole\n")};
  auto add = [&](double us, const char* plan) {
    members.push_back(member_with(static_cast<store::Id>(members.size()) + 1, us, plan));
    members.back().candidate.parent = 1;
  };
  add(700, "s1 gin/stream/barrier/cta/whole\n");
  add(1000, "s1 gin/deferred/peer-signal/cta/whole\n");
  add(1010, "s1 gin/deferred/peer-signal/cta/whole\n");
  AxisLearning learning;
  learning.catch_up(members);
  AxisWeights weights = learning.weights(members[0]);
  EXPECT_GT(weight(weights, Axis::Placement), 3 * weight(weights, Axis::Sync));
}

TEST(ChangeText, NamesWhatChangesAndWhy) {
  space::Plan before =
      space::parse_plan("s1 gin/deferred/barrier/cta/whole\ns2 gin/deferred/barrier/cta/whole", "").value();
  space::Plan after = before;
  after.choices[0].directive.placement = after.choices[1].directive.placement = space::Placement::Stream;
  after.schedule.streams = 1;
  EXPECT_EQ(intent_text(before, after, "it may pay"),
            "Changes placement to stream at s1, s2 and streams to 1, because it may pay.");
  Member parent = with_path(member_with(7, 100), {58, 0, 42, 0, 0});
  EXPECT_EQ(reason_to_move(Axis::Placement, parent), "42 % of the time of #7 is exposed communication");
}

}  // namespace
}  // namespace cuco::evolve
