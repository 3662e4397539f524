#include "evolve/baselines.h"

#include <algorithm>

#include "base/text.h"
#include "evolve/members.h"
#include "space/plan.h"

namespace cuco::evolve {

namespace {

constexpr uint32_t kLimitLeast = 8, kLimitMost = 32;

using Tried = std::vector<TriedForm>;

const TriedForm* find(const Tried& tried, const BaselineForm& form) {
  auto found = std::ranges::find(tried, form, &TriedForm::form);
  return found == tried.end() ? nullptr : &*found;
}

bool is_faster(const TriedForm* a, const TriedForm* b) {
  if (!a || !a->us) return false;
  return !b || !b->us || *a->us < *b->us;
}

std::vector<BaselineForm> untried(const Tried& tried, const std::vector<BaselineForm>& wanted) {
  std::vector<BaselineForm> left;
  for (const BaselineForm& form : wanted)
    if (!find(tried, form)) left.push_back(form);
  return left;
}

// The two greatest limits, then the next lower one as long as going down pays.
std::vector<BaselineForm> by_limit(const Tried& tried, const BaselineChoice& choice) {
  auto at = [&](size_t i) { return BaselineForm{choice.has_windows, 1, choice.limits[i]}; };
  std::vector<BaselineForm> wanted;
  for (size_t i = choice.limits.size(); i-- > 0;) {
    bool is_high = i + 2 >= choice.limits.size();
    if (!is_high && !is_faster(find(tried, at(i + 1)), find(tried, at(i + 2)))) break;
    wanted.push_back(at(i));
  }
  return untried(tried, wanted);
}

const TriedForm* fastest_on_windows(const Tried& tried) {
  const TriedForm* best = nullptr;
  for (const TriedForm& one : tried)
    if (one.form.windows && one.form.slices == 1 && is_faster(&one, best)) best = &one;
  return best;
}

// Two slices only where four are better than none and than eight.
std::vector<BaselineForm> by_slices(const Tried& tried, const TriedForm& whole) {
  auto sliced = [&](uint32_t slices) { return BaselineForm{true, slices, whole.form.ctas}; };
  const TriedForm *four = find(tried, sliced(4)), *eight = find(tried, sliced(8));
  std::vector<BaselineForm> wanted = {sliced(4), sliced(8)};
  if (four && eight && is_faster(four, &whole) && is_faster(four, eight)) wanted.push_back(sliced(2));
  return untried(tried, wanted);
}

std::string plan_under(const std::string& plan_text, uint32_t limit) {
  Result<space::Plan> plan = space::parse_plan(plan_text, "plan");
  CUCO_ASSERT(plan.ok());
  plan->schedule.communication_ctas = limit;
  return space::to_text(*plan);
}

}  // namespace

std::vector<uint32_t> cta_limits(uint32_t most) {
  std::vector<uint32_t> limits;
  for (uint32_t limit = kLimitLeast; limit <= kLimitMost && limit <= most; limit *= 2) limits.push_back(limit);
  if (limits.empty() && most > 1) limits.push_back(most);
  return limits;
}

std::vector<BaselineForm> next_forms(const Tried& tried, const BaselineChoice& choice) {
  std::vector<BaselineForm> next = by_limit(tried, choice);
  const TriedForm* best = fastest_on_windows(tried);
  if (!next.empty() || !best) return next;
  next = untried(tried, {{false, 1, best->form.ctas}});
  std::vector<BaselineForm> sliced = choice.has_slices ? by_slices(tried, *best) : std::vector<BaselineForm>();
  next.insert(next.end(), sliced.begin(), sliced.end());
  return next;
}

std::string words_of(const BaselineForm& form) {
  return concat("NCCL", form.windows ? " on symmetric windows" : "", " with at most ", form.ctas, " CTAs",
                form.slices > 1 ? concat(", compute in ", form.slices, " slices") : "", ".");
}

BaselineSearch::BaselineSearch(store::Candidate as_written, Texts texts, const std::vector<uint32_t>& limits,
                               uint32_t usual)
    : as_written_(std::move(as_written)), texts_(std::move(texts)), asked_({{false, 1, usual}}) {
  choice_ = {limits, texts_.on_windows.contains(1), true};
  for (uint32_t slices : kBaselineSlices) choice_.has_slices &= texts_.on_windows.contains(slices);
}

FurtherBaseline BaselineSearch::written_in(const BaselineForm& form) const {
  FurtherBaseline baseline{as_written_, form.slices > 1};
  baseline.candidate.proposer = kBaseline;
  if (form.windows) baseline.candidate.files = texts_.on_windows.at(form.slices);
  baseline.candidate.plan = plan_under(as_written_.plan, form.ctas);
  baseline.candidate.intent = words_of(form);
  return baseline;
}

std::vector<FurtherBaseline> BaselineSearch::next(const std::vector<std::optional<double>>& us) {
  CUCO_ASSERT(us.size() == asked_.size());
  Tried tried;
  for (size_t i = 0; i < us.size(); i++) tried.push_back({asked_[i], us[i]});
  std::vector<FurtherBaseline> further;
  for (const BaselineForm& form : next_forms(tried, choice_)) {
    asked_.push_back(form);
    further.push_back(written_in(form));
  }
  return further;
}

}  // namespace cuco::evolve
