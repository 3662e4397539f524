#include "evolve/proposers/asked_plan.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "evolve/lessons.h"
#include "space/distance.h"
#include "space/enumerate.h"
#include "space/plan_legality.h"

namespace cuco::evolve {

namespace {

using agent::ProposalKind;
using space::Plan;

constexpr int kDraws = 12;
constexpr double kSlowerFactor = 1.05;  // Less is within what one other choice makes up for.

struct Design {
  std::vector<space::SiteFacts> sites;
  model::HardwareProfile profile;
};

// To the nearest plan of a member; 0 for one that was tried.
double novelty(const Plan& plan, const Assignment& assignment) {
  double nearest = std::numeric_limits<double>::infinity();
  if (assignment.members == nullptr) return nearest;
  for (const Member& member : *assignment.members)
    if (member.plan) nearest = std::min(nearest, space::distance(plan, *member.plan));
  return nearest;
}

// Choices that go with slower programs, by what the members show.
std::set<Trait> slower_traits(const Assignment& assignment) {
  TraitStatistics statistics;
  if (assignment.members != nullptr) statistics.catch_up(*assignment.members);
  std::set<Trait> slower;
  for (const TraitEffect& effect : statistics.effects())
    if (effect.factor > kSlowerFactor) slower.insert(effect.trait);
  return slower;
}

bool has_any(const Plan& plan, const std::set<Trait>& traits) {
  return std::ranges::any_of(traits_of(plan), [&](const Trait& trait) { return traits.contains(trait); });
}

// One site's directive changed in one dimension, at the other ends of its exchange too.
std::optional<Plan> step_from(const Plan& plan, const Design& design, Random& random) {
  std::vector<size_t> exchange = random.pick(space::exchanges_of(design.sites));
  const space::SiteFacts& site = design.sites[exchange[0]];
  const space::Directive* directive = space::find_directive(plan, site.name);
  if (directive == nullptr) return std::nullopt;
  std::vector<space::Directive> steps = space::neighbours(site, *directive, design.profile);
  if (steps.empty()) return std::nullopt;
  space::Directive step = random.pick(steps);
  Plan changed = plan;
  for (size_t end : exchange)
    for (space::SiteChoice& choice : changed.choices)
      if (choice.site == design.sites[end].name) choice.directive = step;
  changed.schedule = space::fitted_schedule(design.sites, changed, design.profile);
  return changed;
}

std::optional<Plan> draw(ProposalKind kind, const Assignment& assignment, const Design& design, Random& random) {
  const std::optional<Plan>& plan = assignment.parent->plan;
  if (kind == ProposalKind::Full || !plan) return space::sample_plan(design.sites, design.profile, random);
  bool joins = kind == ProposalKind::Crossover && assignment.other_parent != nullptr && assignment.other_parent->plan;
  if (!joins) return step_from(*plan, design, random);
  return space::crossover(*plan, *assignment.other_parent->plan, design.sites, design.profile, random);
}

std::optional<Plan> most_novel(ProposalKind kind, const Assignment& assignment, const Design& design, Random& random) {
  std::optional<Plan> best;
  double best_novelty = 0;
  std::set<Trait> slower = slower_traits(assignment);
  for (int i = 0; i < kDraws; ++i) {
    std::optional<Plan> drawn = draw(kind, assignment, design, random);
    if (!drawn || has_any(*drawn, slower) || !space::check(design.sites, *drawn, design.profile).empty()) continue;
    double far = novelty(*drawn, assignment);
    if (far <= best_novelty) continue;
    best = std::move(drawn);
    best_novelty = far;
  }
  return best;
}

}  // namespace

ChoosePlan untried_legal_plans(std::vector<space::SiteFacts> sites, model::HardwareProfile profile) {
  return [design = Design{std::move(sites), std::move(profile)}](ProposalKind kind, const Assignment& assignment,
                                                                 Random& random) -> std::optional<Plan> {
    if (design.sites.empty()) return std::nullopt;
    return most_novel(kind, assignment, design, random);
  };
}

}  // namespace cuco::evolve
