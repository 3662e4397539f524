#include "report/run_view.h"

#include <algorithm>
#include <cstdio>

#include "base/number_text.h"
#include "base/text.h"
#include "evaluate/verdict.h"

namespace cuco::report {

namespace {

std::optional<space::Plan> plan_of(const store::Candidate& candidate) {
  const std::string& text = candidate.plan.empty() ? candidate.inferred_plan : candidate.plan;
  if (text.empty()) return std::nullopt;
  Result<space::Plan> plan = space::parse_plan(text, "");
  if (!plan) return std::nullopt;
  return *plan;
}

void add_judgement(const store::Judgement& judgement, std::vector<Entry>& entries) {
  size_t index = static_cast<size_t>(judgement.candidate) - 1;
  if (index >= entries.size()) return;
  (judgement.depth == "full" ? entries[index].full : entries[index].screen) = judgement;
}

// What is fastest without its communication in the order that some verified program of the run has. 0: unknown.
double least_order_us(const std::vector<Entry>& entries) {
  double least = 0;
  for (const Entry& entry : entries) {
    std::optional<evaluate::Timing> timing = timing_of(entry);
    if (!timing || timing->bound_order_us <= 0) continue;
    least = least > 0 ? std::min(least, timing->bound_order_us) : timing->bound_order_us;
  }
  return least;
}

std::string first_error(const Entry& entry) {
  if (!entry.candidate.failure.empty()) return "no_program";
  for (const evaluate::Finding& finding : evaluate::verdict_from_json(entry.judgement()->verdict).findings)
    if (finding.is_error()) return finding.kind;
  return "not_passed";
}

// Host sites are left out unless there is nothing else: a plan is about what leaves the host.
std::vector<space::Directive> device_directives(const space::Plan& plan) {
  std::vector<space::Directive> directives;
  for (const space::SiteChoice& choice : plan.choices)
    if (choice.directive.backend != space::Backend::Host) directives.push_back(choice.directive);
  return directives;
}

std::string values_of(const std::vector<space::Directive>& directives, space::Dimension dimension) {
  std::vector<std::string> values;
  for (const space::Directive& directive : directives) {
    std::string value = space::value_text(directive, dimension);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return join(values, " or ");
}

// What differs from the default: "4 CTAs", "remote-first", "blocks that wait".
std::vector<std::string> schedule_words(const space::Schedule& schedule) {
  std::vector<std::string> given = split(space::to_text(schedule), ' ');
  std::vector<std::string> usual = split(space::to_text(space::Schedule{}), ' ');
  std::vector<std::string> words;
  for (size_t i = 0; i < given.size() && i < usual.size(); i++) {
    if (given[i] == usual[i]) continue;
    std::string value = given[i].substr(given[i].find('=') + 1);
    if (given[i].starts_with("ctas")) value += " CTAs";
    if (given[i].starts_with("streams")) value += value == "1" ? " stream" : " streams";
    if (given[i].starts_with("priority")) value += " priority";
    words.push_back(value);
  }
  if (schedule.waits == space::Waits::Blocks) words.push_back("blocks that wait");
  return words;
}

}  // namespace

const store::Judgement* Entry::judgement() const { return full ? &*full : screen ? &*screen : nullptr; }

bool Entry::passed() const { return judgement() != nullptr && judgement()->passed; }

std::optional<double> Entry::time_us() const { return passed() ? judgement()->time_us : std::nullopt; }

const Entry* RunView::find(store::Id id) const {
  if (id < 1 || static_cast<size_t>(id) > entries.size()) return nullptr;
  return &entries[static_cast<size_t>(id) - 1];
}

std::optional<double> RunView::baseline_us() const {
  const Entry* entry = find(baseline);
  return entry ? entry->time_us() : std::nullopt;
}

std::optional<double> RunView::bound_us() const {
  const Entry* fastest = find(baseline);
  if (!fastest || !fastest->judgement()) return std::nullopt;
  std::optional<double> least = fastest->judgement()->bound_us;
  for (const Entry& entry : entries)
    if (entry.candidate.proposer == "baseline" && entry.passed() && entry.judgement()->bound_us.value_or(0) > 0)
      least = std::min(least.value_or(*entry.judgement()->bound_us), *entry.judgement()->bound_us);
  std::optional<evaluate::Timing> timing = timing_of(*fastest);
  double order_us = timing ? least_order_us(entries) : 0;
  if (least && order_us > 0) least = std::min(*least, std::max(order_us, timing->bound_in_any_order_us()));
  return least;
}

std::optional<evaluate::Timing> timing_of(const Entry& entry) {
  if (!entry.passed()) return std::nullopt;
  return evaluate::verdict_from_json(entry.judgement()->verdict).timing;
}

std::string Entry::hidden_words() const {
  if (judgement() == nullptr || !judgement()->hidden.has_value()) return "";
  return percent(judgement()->hidden.value());
}

double RunView::cost_usd() const {
  double sum = 0;
  for (const Entry& entry : entries) sum += entry.candidate.cost_usd;
  for (const store::Event& event : events) sum += event.cost_usd;
  return sum;
}

double RunView::gpu_seconds() const {
  double sum = 0;
  for (const Entry& entry : entries)
    for (const std::optional<store::Judgement>* judgement : {&entry.screen, &entry.full})
      if (*judgement) sum += evaluate::verdict_from_json((*judgement)->verdict).gpu_seconds;
  return sum;
}

std::string design_of(const Entry& entry) {
  const store::Candidate& candidate = entry.candidate;
  if (candidate.proposer == "baseline" && candidate.id > 1)
    return candidate.intent.substr(0, candidate.intent.find_last_not_of('.') + 1);
  return entry.plan ? plan_words(*entry.plan) : candidate.proposer == "baseline" ? "host-driven" : "code";
}

RunView view_of(const store::Campaign& campaign, const std::vector<store::Step>& steps) {
  RunView view;
  view.campaign = campaign;
  for (const store::Step& step : steps) {
    for (const store::Candidate& candidate : step.candidates)
      view.entries.push_back({candidate, std::nullopt, std::nullopt, plan_of(candidate)});
    for (const store::Judgement& judgement : step.judgements) add_judgement(judgement, view.entries);
    view.events.insert(view.events.end(), step.events.begin(), step.events.end());
    if (!step.lessons.empty()) view.lessons = step.lessons;
  }
  return view;
}

std::optional<double> speedup(const RunView& view, const Entry& entry) {
  std::optional<double> before = view.baseline_us(), after = entry.time_us();
  if (!before || !after || *after <= 0) return std::nullopt;
  return *before / *after;
}

std::map<std::string, uint32_t> rejections(const RunView& view) {
  std::map<std::string, uint32_t> kinds;
  for (const Entry& entry : view.entries) {
    bool rejected = !entry.candidate.failure.empty() || (entry.judgement() && !entry.passed());
    if (rejected) kinds[first_error(entry)]++;
  }
  return kinds;
}

std::string plan_words(const space::Plan& plan) {
  std::vector<space::Directive> directives = device_directives(plan);
  if (directives.empty()) return "host-driven";
  std::vector<std::string> words;
  for (space::Dimension dimension : {space::Dimension::Backend, space::Dimension::Placement, space::Dimension::Sync})
    words.push_back(values_of(directives, dimension));
  if (std::string issuer = values_of(directives, space::Dimension::Issuer); issuer != "cta") words.push_back(issuer);
  if (std::string chunk = values_of(directives, space::Dimension::Chunk); chunk != "whole") words.push_back(chunk);
  for (const std::string& word : schedule_words(plan.schedule)) words.push_back(word);
  return join(words, ", ");
}

}  // namespace cuco::report
