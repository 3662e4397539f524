#include "evolve/proposers/rules.h"

#include <algorithm>

#include "base/text.h"
#include "evolve/fingerprint.h"
#include "evolve/proposers/change_text.h"
#include "evolve/proposers/plan_moves.h"
#include "evolve/selection.h"
#include "space/enumerate.h"

namespace cuco::evolve {
namespace {

constexpr int kDrawsMax = 60;
constexpr size_t kFirstIdeas = 8;  // Plans, those of the first programs included.
constexpr double kIdeaShareExploring = 0.6, kIdeaShareExploiting = 0.15;
// How often the best plan is refined step by step; parents drawn by selection have the other turns.
constexpr double kClimbShareExploring = 0.3, kClimbShareExploiting = 0.6;
// How fast the rank of an expert's idea counts less than what its axis promises.
constexpr double kRankDiscount = 0.12;

// Shares of the kinds of draws; what is left of one is a move along an axis.
struct Mix {
  double sample = 0, cross = 0;
};
constexpr Mix kExploring = {0.3, 0.2}, kExploiting = {0.05, 0.2};

}  // namespace

RulesProposer::RulesProposer(RulesInput input)
    : space_(std::move(input.sites), std::move(input.profile), std::move(input.fast_path), std::move(input.write)),
      learned_order_(input.learned_order),
      with_ideas_(input.ideas),
      climbs_(input.climbs) {}

Result<std::optional<Proposal>> RulesProposer::propose(const Assignment& assignment, Random& random) {
  if (space_.unit_count() == 0) return std::optional<Proposal>();
  catch_up(*assignment.members);
  // Ideas alone would spend a small budget before anything builds on what they found.
  double idea_share = assignment.phase == Phase::Explore ? kIdeaShareExploring : kIdeaShareExploiting;
  double climb_share = assignment.phase == Phase::Explore ? kClimbShareExploring : kClimbShareExploiting;
  bool idea_first = tried_.size() < kFirstIdeas || random.chance(idea_share);
  bool climb = climbs_ && random.chance(climb_share);
  std::optional<Proposal> proposal;
  if (idea_first) proposal = next_idea(assignment);
  if (!proposal && climb) proposal = next_refinement(assignment);
  if (!proposal) proposal = next_draw(assignment, random);
  if (!proposal && !idea_first) proposal = next_idea(assignment);
  if (!proposal) proposal = next_neighbour(assignment);
  return proposal;
}

void RulesProposer::catch_up(const std::vector<Member>& members) {
  learning_.catch_up(members);
  for (; known_count_ < members.size(); ++known_count_) {
    const Member& member = members[known_count_];
    if (member.plan) tried_.emplace(space::to_text(*member.plan), member.candidate.id);
    if (member.sketch) text_keys_.insert(member.sketch->key);
  }
}

AxisWeights RulesProposer::weights_for(const Member& parent) const {
  if (learned_order_) return learning_.weights(parent);
  AxisWeights equal{};
  equal.fill(1);
  return equal;
}

// The plan of a member that states none is taken to be the fast path's: where every search by rules begins.
const space::Plan& RulesProposer::plan_of(const Member& member) const {
  return member.plan ? *member.plan : space_.fast_path();
}

// In the experts' order, bent by what the axes promise.
std::optional<Proposal> RulesProposer::next_idea(const Assignment& assignment) {
  if (!with_ideas_) return std::nullopt;
  if (!ideas_) ideas_ = expert_ideas(space_);
  AxisWeights weights = weights_for(*assignment.parent);
  std::vector<size_t> order(ideas_->size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) {
    return weights[static_cast<size_t>((*ideas_)[i].axis)] / (1 + kRankDiscount * static_cast<double>(i));
  });
  auto base = tried_.find(space::to_text(space_.fast_path()));
  for (size_t i : order) {
    const Idea& idea = (*ideas_)[i];
    Draft draft{idea.plan, idea.reason, base == tried_.end() ? store::kNoId : base->second, false};
    if (std::optional<Proposal> proposal = attempt(draft, assignment)) return proposal;
  }
  return std::nullopt;
}

std::optional<Proposal> RulesProposer::next_draw(const Assignment& assignment, Random& random) {
  for (int i = 0; i < kDrawsMax; ++i)
    if (std::optional<Draft> draft = draw(assignment, random))
      if (std::optional<Proposal> proposal = attempt(*draft, assignment)) return proposal;
  return std::nullopt;
}

std::optional<RulesProposer::Draft> RulesProposer::draw(const Assignment& assignment, Random& random) {
  const Mix& mix = assignment.phase == Phase::Explore ? kExploring : kExploiting;
  double kind = random.unit();
  if (kind < mix.sample)
    return Draft{sampled(space_, random), "nobody has looked in this corner yet", store::kNoId, false};
  if (kind < mix.sample + mix.cross) return crossed(assignment, random);
  return mutated(*assignment.parent, assignment.phase, random);
}

std::optional<RulesProposer::Draft> RulesProposer::mutated(const Member& parent, Phase phase, Random& random) {
  AxisWeights weights = weights_for(parent);
  Axis axis = kAxes[draw_by_weight({weights.begin(), weights.end()}, random)];
  bool everywhere = random.chance(phase == Phase::Explore ? 0.7 : 0.3);
  std::optional<space::Plan> plan = moved(space_, plan_of(parent), axis, everywhere, random);
  if (!plan) return std::nullopt;
  return Draft{*std::move(plan), reason_to_move(axis, parent), store::kNoId, false};
}

std::optional<RulesProposer::Draft> RulesProposer::crossed(const Assignment& assignment, Random& random) {
  if (assignment.other_parent == nullptr) return std::nullopt;
  const Member &first = *assignment.parent, &second = *assignment.other_parent;
  space::Plan plan = space::crossover(plan_of(first), plan_of(second), space_.sites(), space_.profile(), random);
  std::string reason = concat("#", first.candidate.id, " and #", second.candidate.id, " did well in different ways");
  return Draft{std::move(plan), std::move(reason), store::kNoId, true};
}

std::optional<Proposal> RulesProposer::next_refinement(const Assignment& assignment) {
  const Member* best = nullptr;
  for (const Member& member : *assignment.members)
    if (member.passed() && member.plan && (best == nullptr || member.score > best->score)) best = &member;
  if (best == nullptr) return std::nullopt;
  std::string reason = concat("it refines the best so far, #", best->candidate.id);
  for (space::Plan& plan : refinements(space_, *best->plan))
    if (auto proposal = attempt({std::move(plan), reason, best->candidate.id, false}, assignment)) return proposal;
  return std::nullopt;
}

// What is left when draws find nothing: every neighbour of what passed, so that "no idea" means there is none near.
std::optional<Proposal> RulesProposer::next_neighbour(const Assignment& assignment) {
  std::vector<const Member*> passed;
  for (const Member& member : *assignment.members)
    if (member.passed() && (member.plan || member.candidate.id == 1)) passed.push_back(&member);
  std::ranges::stable_sort(passed, std::greater<>(), &Member::score);
  for (const Member* member : passed) {
    std::string reason = concat("it is next to #", member->candidate.id);
    for (space::Plan& plan : neighbours(space_, plan_of(*member)))
      if (auto proposal = attempt({std::move(plan), reason, member->candidate.id, false}, assignment)) return proposal;
  }
  return std::nullopt;
}

// Files are given only where the rewriter had to be asked.
const std::string& RulesProposer::text_key_of(const space::Plan& plan, std::vector<SourceFile>& files) {
  auto [known, asked_first] = written_.try_emplace(space::to_text(plan));
  if (!asked_first || !space_.is_legal(plan)) return known->second;
  Result<std::vector<SourceFile>> written = space_.write(plan);
  if (!written) return known->second;
  files = *std::move(written);
  return known->second = text_key(files);
}

std::optional<Proposal> RulesProposer::attempt(const Draft& draft, const Assignment& assignment) {
  if (tried_.contains(space::to_text(draft.plan))) return std::nullopt;
  Proposal proposal;
  const std::string& key = text_key_of(draft.plan, proposal.files);
  if (key.empty() || text_keys_.contains(key)) return std::nullopt;
  if (proposal.files.empty()) proposal.files = *space_.write(draft.plan);
  const Member& parent =
      draft.parent == store::kNoId ? *assignment.parent : (*assignment.members)[static_cast<size_t>(draft.parent) - 1];
  proposal.intent = intent_text(plan_of(parent), draft.plan, draft.reason);
  proposal.plan = draft.plan;
  proposal.parent = draft.parent;
  proposal.crossed = draft.crossed;
  return proposal;
}

}  // namespace cuco::evolve
