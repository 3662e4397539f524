#include "evolve/ledger.h"

#include <algorithm>

#include "base/text.h"
#include "evolve/members.h"

namespace cuco::evolve {
namespace {

PopulationOptions population_options(const SearchOptions& options) {
  return {options.islands, options.archive_capacity, options.archive, options.migration_graph};
}

const store::Judgement* screening_of(const store::Step& step, store::Id candidate) {
  auto found = std::ranges::find_if(step.judgements, [&](const store::Judgement& judgement) {
    return judgement.candidate == candidate && judgement.depth == kScreen;
  });
  return found == step.judgements.end() ? nullptr : &*found;
}

constexpr double kLateShare = 0.75;  // Of the budget, after which it is late.

// Baseline and fast path: what the campaign starts from.
bool is_first(const store::Candidate& candidate) { return candidate.generation == 0; }

}  // namespace

Ledger::Ledger(const SearchOptions& options)
    : options_(options), population_(population_options(options)), novelty_(options.novelty_max) {}

void Ledger::add(const store::Step& step) {
  step_count_ = step.number;
  announcements_.clear();
  for (const store::Candidate& candidate : step.candidates) add_candidate(candidate, screening_of(step, candidate.id));
  for (const store::Judgement& judgement : step.judgements)
    if (judgement.depth == kFull) add_closer_look(judgement);
  set_aside_.clear();
  novelty_.catch_up(members());
  if (!step.lessons.empty()) lessons_ = step.lessons;
  read_events(step.events);
  if (step.candidates.empty() || is_first(step.candidates.front())) return;
  ++turn_count_;
  idle_turn_count_ = step.judgements.empty() ? idle_turn_count_ + 1 : 0;
  migrate_when_due();
}

Member Ledger::read(const store::Candidate& candidate) {
  auto same = std::ranges::find_if(set_aside_, [&](const Member& member) {
    return member.candidate.id == candidate.id && member.candidate.files == candidate.files &&
           member.candidate.plan == candidate.plan && member.candidate.inferred_plan == candidate.inferred_plan;
  });
  if (same == set_aside_.end()) return member_of(candidate);
  Member member = std::move(*same);
  member.pending = false;
  return member;
}

void Ledger::add_candidate(const store::Candidate& candidate, const store::Judgement* judgement) {
  Member member = read(candidate);
  if (judgement != nullptr) {
    apply(*judgement, member);
    if (!is_further_baseline(candidate)) count_evaluation(member);
  }
  cost_usd_ += candidate.cost_usd;
  if (!is_first(candidate)) {
    double before = score_before(candidate.parent);
    bandit_.record(candidate.proposer, before > 0 ? (member.score - before) / before : 0, candidate.cost_usd);
  }
  population_.add(std::move(member), is_first(candidate));
}

// A repair is measured by what its first attempt set out from.
double Ledger::score_before(store::Id parent) const {
  while (parent != store::kNoId && !member(parent).passed()) parent = member(parent).candidate.parent;
  return parent == store::kNoId ? 0 : member(parent).score;
}

void Ledger::count_evaluation(const Member& member) {
  ++evaluation_count_;
  ++since_better_;
  if (!member.passed()) {
    ++(member.verdict.passed() ? untimed_count_ : rejected_count_);
  } else if (!best_verdict_.timing ||
             (is_better(member.verdict, best_verdict_) &&
              member.verdict.timing->median_us < best_verdict_.timing->median_us * (1 - kBetterShare))) {
    best_verdict_ = member.verdict;
    since_better_ = 0;
  }
}

void Ledger::add_closer_look(const store::Judgement& judgement) {
  closer_looks_[judgement.candidate] = judgement.passed;
  if (judgement.passed) return;
  size_t member = static_cast<size_t>(judgement.candidate) - 1;
  apply(judgement, population_.at(member));
  population_.disqualify(member);
}

void Ledger::read_events(const std::vector<store::Event>& events) {
  for (const store::Event& event : events) {
    if (event.kind == kStopEvent) stop_reason_ = event.text;
    cost_usd_ += event.cost_usd;
    if (event.kind == "lesson") lesson_mark_ = evaluation_count_;
    is_over_ = is_over_ || event.kind == kEndEvent;
  }
}

void Ledger::migrate_when_due() {
  if (options_.migration_interval == 0 || turn_count_ % options_.migration_interval != 0) return;
  for (const Migration& move : population_.migrate())
    announcements_.push_back(
        {"migration", concat("#", move.member + 1, " of island ", move.from, " joins island ", move.to, ".")});
}

Phase Ledger::phase() const {
  double explored = options_.explore_share * options_.budget_evaluations;
  return options_.two_phase && evaluation_count_ < explored ? Phase::Explore : Phase::Exploit;
}

bool Ledger::is_late() const { return evaluation_count_ >= kLateShare * options_.budget_evaluations; }

bool Ledger::lesson_is_due() const {
  return options_.lesson_interval > 0 && evaluation_count_ - lesson_mark_ >= options_.lesson_interval;
}

const Member& Ledger::baseline() const {
  const Member* fastest = &members().front();
  for (const Member& member : members())
    if (is_first(member.candidate) && member.candidate.proposer == kBaseline && member.score > fastest->score)
      fastest = &member;
  return *fastest;
}

Standing Ledger::standing() const {
  const Member* baseline = members().empty() ? nullptr : &this->baseline();
  const Member* best = population_.best() ? &members()[*population_.best()] : nullptr;
  return {evaluation_count_, since_better_, baseline, best};
}

}  // namespace cuco::evolve
