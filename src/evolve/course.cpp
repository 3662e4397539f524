#include "evolve/course.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "evolve/members.h"

namespace cuco::evolve {
namespace {

// A proposer that repeats itself must not keep a run alive for ever.
constexpr uint32_t kIdleTurnsMax = 8;

using Json = nlohmann::json;

}  // namespace

Course::Course(SearchInput& input)
    : input_(input), ledger_(input.options), means_{Random(input.options.seed), {}, {}} {}

Status Course::restore(const std::vector<store::Step>& steps) {
  for (const store::Step& step : steps) ledger_.add(step);
  return steps.empty() ? Done{} : restore_state(steps.back().state);
}

void Course::add(const store::Step& step) {
  ledger_.add(step);
  report_progress(input_, ledger_, {});
}

Result<std::optional<store::Step>> Course::next() {
  if (ledger_.is_over()) return std::optional<store::Step>();
  Result<store::Step> step = make_step();
  if (!step) return step.error();
  step->state = state();
  return std::optional(*std::move(step));
}

Result<store::Step> Course::make_step() {
  Turn turn(ledger_, input_, means_);
  if (ledger_.members().empty()) return turn.first();
  if (!ledger_.stop_reason().empty()) return turn.closer_look();
  std::optional<std::string> reason = reason_to_stop(ledger_.options(), ledger_.standing());
  if (ledger_.idle_turn_count() >= kIdleTurnsMax)
    reason = concat("The last ", kIdleTurnsMax, " turns gave nothing that was worth an evaluation.");
  if (!reason && input_.out_of_time) reason = input_.out_of_time(ledger_.step_count() + 1);
  if (!reason) return turn.next();
  store::Step step;
  step.number = ledger_.step_count() + 1;
  step.events = ledger_.announcements();
  step.events.push_back({kStopEvent, *reason});
  return step;
}

std::string Course::state() const {
  JsonWriter json;
  json.begin_object().field("random", means_.random.state()).key("silenced").begin_array();
  for (size_t index : means_.silenced) json.value(index);
  json.end_array().key("proposers").begin_array();
  for (const ProposerChoice& choice : input_.proposers) json.value(choice.proposer->state());
  json.end_array().end_object();
  return json.take();
}

Status Course::restore_state(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  try {
    std::vector<std::string> states = json.at("proposers").get<std::vector<std::string>>();
    if (states.size() != input_.proposers.size())
      return Error{
          concat("the run was made with ", counted(states.size(), "proposer"), ", not ", input_.proposers.size())};
    means_.random = Random(json.at("random").get<uint64_t>());
    for (size_t index : json.at("silenced").get<std::vector<size_t>>()) means_.silenced.insert(index);
    for (size_t i = 0; i < states.size(); ++i)
      if (Status status = input_.proposers[i].proposer->restore(states[i]); !status) return status;
  } catch (const Json::exception& problem) {
    return Error{concat("the state of the run cannot be read: ", problem.what())};
  }
  return Done{};
}

// The first of them when none passed: it has a verdict to show.
bool Course::is_better_fast_path(const Member& member, store::Id so_far) const {
  if (member.candidate.generation != 0 || member.candidate.proposer == kBaseline) return false;
  return so_far == store::kNoId || member.score > ledger_.member(so_far).score;
}

Outcome Course::outcome() const {
  Outcome outcome;
  outcome.evaluations = ledger_.evaluation_count();
  outcome.rejected = ledger_.rejected_count();
  outcome.untimed = ledger_.untimed_count();
  outcome.finished = ledger_.is_over();
  outcome.stop_reason = ledger_.stop_reason();
  if (ledger_.members().empty()) return outcome;
  outcome.baseline = ledger_.baseline().candidate.id;
  for (const Member& member : ledger_.members())
    if (is_better_fast_path(member, outcome.fast_path)) outcome.fast_path = member.candidate.id;
  outcome.best = outcome.finished ? outcome.baseline : ledger_.standing().best->candidate.id;
  for (const auto& [id, passed] : ledger_.closer_looks())
    if (passed) outcome.best = id;
  return outcome;
}

}  // namespace cuco::evolve
