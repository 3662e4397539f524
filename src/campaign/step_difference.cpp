#include "campaign/step_difference.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace cuco::campaign {

namespace {

using Fault = std::optional<std::string>;

Fault candidate_fault(const store::Candidate& a, const store::Candidate& b) {
  auto has_another = [&](const char* what) { return concat("candidate ", a.id, " has another ", what); };
  if (a.id != b.id) return concat("candidate ", a.id, " is ", b.id, " when it is done again");
  if (a.parent != b.parent || a.other_parent != b.other_parent) return has_another("parent");
  if (a.proposer != b.proposer) return has_another("proposer");
  if (a.plan != b.plan || a.inferred_plan != b.inferred_plan) return has_another("plan");
  if (a.files != b.files) return has_another("text");
  if (a.failure != b.failure) return has_another("failure");
  if (a.intent != b.intent) return has_another("intent");
  if (a.inspirations != b.inspirations) return has_another("list of inspirations");
  if (a.island != b.island || a.generation != b.generation) return has_another("island or generation");
  if (a.prompt != b.prompt || a.reply != b.reply || a.cost_usd != b.cost_usd)
    return has_another("prompt, reply or cost");
  return std::nullopt;
}

Fault judgement_fault(const store::Judgement& a, const store::Judgement& b) {
  bool same = a.candidate == b.candidate && a.depth == b.depth && a.level == b.level && a.passed == b.passed &&
              a.score == b.score && a.verdict == b.verdict;
  if (same) return std::nullopt;
  return concat("the ", a.depth, " of candidate ", a.candidate, " found something else");
}

Fault event_fault(const store::Event& a, const store::Event& b) {
  if (a.kind == b.kind && a.text == b.text) return std::nullopt;
  return concat("the event '", a.text, "' is '", b.text, "'");
}

Fault lesson_fault(const store::Lesson& a, const store::Lesson& b) {
  if (a.author == b.author && a.text == b.text) return std::nullopt;
  return concat("the lesson '", a.text, "' is '", b.text, "'");
}

template <typename Record>
Fault list_fault(const std::vector<Record>& a, const std::vector<Record>& b, const char* what,
                 Fault (*compare)(const Record&, const Record&)) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); i++)
    if (Fault fault = compare(a[i], b[i])) return fault;
  if (a.size() == b.size()) return std::nullopt;
  return concat("it has ", counted(a.size(), what), " and ", b.size(), " when it is done again");
}

Fault step_fault(const store::Step& a, const store::Step& b) {
  if (Fault fault = list_fault(a.candidates, b.candidates, "candidate", candidate_fault)) return fault;
  if (Fault fault = list_fault(a.judgements, b.judgements, "judgement", judgement_fault)) return fault;
  if (Fault fault = list_fault(a.events, b.events, "event", event_fault)) return fault;
  if (Fault fault = list_fault(a.lessons, b.lessons, "lesson", lesson_fault)) return fault;
  if (a.state != b.state) return "the search is in another state after it";
  return std::nullopt;
}

}  // namespace

std::string first_difference(const std::vector<store::Step>& before, const std::vector<store::Step>& again) {
  for (size_t i = 0; i < std::min(before.size(), again.size()); i++)
    if (Fault fault = step_fault(before[i], again[i])) return concat("step ", before[i].number, ": ", *fault);
  if (before.size() != again.size())
    return concat("it has ", counted(before.size(), "step"), " and ", again.size(), " when it is done again");
  return "the steps are equal, the campaigns are not";
}

}  // namespace cuco::campaign
