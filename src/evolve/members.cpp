#include "evolve/members.h"

#include "gpu/evaluate.h"

namespace cuco::evolve {
namespace {

std::optional<space::Plan> known_plan(const store::Candidate& candidate) {
  for (const std::string* text : {&candidate.plan, &candidate.inferred_plan}) {
    if (text->empty()) continue;
    if (Result<space::Plan> plan = space::parse_plan(*text, "plan")) return *plan;
  }
  return std::nullopt;
}

}  // namespace

double score_of(const evaluate::Verdict& verdict) {
  if (!verdict.passed() || verdict.reached != evaluate::Level::Timed || !verdict.timing) return 0;
  return 10000 / (1 + verdict.timing->median_us / 1000);
}

std::optional<double> time_us(const Member& member) {
  if (!member.passed() || !member.verdict.timing) return std::nullopt;
  return member.verdict.timing->median_us;
}

bool is_better(const evaluate::Verdict& verdict, const evaluate::Verdict& than) {
  if (score_of(verdict) <= score_of(than)) return false;
  return verdict.executor.empty() || !than.timing || gpu::is_faster(*verdict.timing, *than.timing);
}

bool is_further_baseline(const store::Candidate& candidate) {
  return candidate.proposer == kBaseline && candidate.id != 1;
}

Member member_of(const store::Candidate& candidate) {
  Member member;
  member.candidate = candidate;
  member.plan = known_plan(candidate);
  if (!candidate.files.empty()) member.sketch = std::make_shared<const TextSketch>(fingerprint(candidate.files).sketch);
  return member;
}

void apply(const store::Judgement& judgement, Member& member) {
  member.pending = false;
  if (judgement.depth == kFull && judgement.passed) return;
  member.verdict = evaluate::verdict_from_json(judgement.verdict);
  member.score = judgement.depth == kFull ? 0 : judgement.score;
}

store::Judgement judgement_of(store::Id candidate, Depth depth, const evaluate::Verdict& verdict) {
  store::Judgement judgement;
  judgement.candidate = candidate;
  judgement.depth = depth == Depth::Full ? kFull : kScreen;
  judgement.level = evaluate::to_text(verdict.reached);
  judgement.passed = verdict.passed();
  if (verdict.timing) {
    judgement.time_us = verdict.timing->median_us;
    judgement.bound_us = verdict.timing->bound_us();
  }
  judgement.hidden = evaluate::hidden_share(verdict);
  judgement.score = score_of(verdict);
  judgement.schedules = verdict.schedules_run;
  judgement.verdict = evaluate::to_json(verdict);
  return judgement;
}

}  // namespace cuco::evolve
