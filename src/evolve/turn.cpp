#include "evolve/turn.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "evolve/members.h"
#include "evolve/repairs.h"

namespace cuco::evolve {
namespace {

constexpr double kExplorePressure = 1;  // Of the weighted selection, while the space is still being explored.

std::vector<const Member*> pointers(const std::vector<Member>& members, const std::vector<size_t>& indices) {
  std::vector<const Member*> found;
  for (size_t index : indices) found.push_back(&members[index]);
  return found;
}

std::string plan_text(const std::optional<space::Plan>& plan) { return plan ? space::to_text(*plan) : std::string(); }

store::Candidate candidate_from(Proposal proposal, const Assignment& assignment, store::Id id) {
  store::Candidate candidate;
  candidate.id = id;
  candidate.parent = proposal.parent == store::kNoId ? assignment.parent->candidate.id : proposal.parent;
  if (proposal.crossed && assignment.other_parent != nullptr)
    candidate.other_parent = assignment.other_parent->candidate.id;
  for (const Member* member : assignment.inspirations) candidate.inspirations.push_back(member->candidate.id);
  candidate.island = assignment.island;
  candidate.generation = assignment.generation;
  candidate.intent = std::move(proposal.intent);
  candidate.plan = plan_text(proposal.plan);
  candidate.inferred_plan = plan_text(proposal.inferred_plan);
  candidate.files = std::move(proposal.files);
  candidate.failure = std::move(proposal.failure);
  candidate.prompt = std::move(proposal.prompt);
  candidate.reply = std::move(proposal.reply);
  candidate.cost_usd = proposal.cost_usd;
  return candidate;
}

// Baselines with one text may run under different limits, which their plans state.
bool is_same(const store::Candidate& a, const store::Candidate& b) {
  bool baselines = a.proposer == kBaseline && b.proposer == kBaseline;
  return a.files == b.files && (!baselines || a.plan == b.plan);
}

void add_first(const store::Candidate& candidate, store::Step& step) {
  store::Candidate first = candidate;
  first.id = static_cast<store::Id>(step.candidates.size()) + 1;
  first.parent = first.id == 1 ? store::kNoId : 1;
  first.generation = 0;
  step.candidates.push_back(std::move(first));
}

std::vector<std::optional<double>> times_of(const std::vector<store::Judgement>& judgements) {
  std::vector<std::optional<double>> us;
  for (const store::Judgement& judgement : judgements)
    us.push_back(judgement.score > 0 ? judgement.time_us : std::nullopt);
  return us;
}

// The least time of any baseline, and the least that one needs without its communication.
void take_baseline(const evaluate::Verdict& verdict, std::optional<Against>& against) {
  if (score_of(verdict) <= 0) return;
  const evaluate::Timing& timing = *verdict.timing;
  if (!against) against = Against{timing.median_us, timing.bound_compute_us};
  against->baseline_us = std::min(against->baseline_us, timing.median_us);
  bool is_less = timing.bound_compute_us > 0 &&
                 (against->bound_compute_us <= 0 || timing.bound_compute_us < against->bound_compute_us);
  if (is_less) against->bound_compute_us = timing.bound_compute_us;
}

std::string findings_text(const evaluate::Verdict& verdict) {
  for (const evaluate::Finding& finding : verdict.findings)
    if (finding.is_error()) return finding.text;
  return "it was not timed";
}

// Three digits that matter: times here range from microseconds to seconds.
std::string milliseconds(double us) {
  double step = std::pow(10, std::floor(std::log10(std::max(us, 1e-3))) - 3);
  return concat(std::round(us / step) * step / 1000, " ms");
}

}  // namespace

void report_progress(const SearchInput& input, const Ledger& ledger, const std::vector<std::string>& current) {
  if (!input.progress) return;
  Progress progress;
  progress.evaluations = ledger.evaluation_count();
  progress.budget = ledger.options().budget_evaluations;
  progress.generation = ledger.turn_count();
  progress.rejected = ledger.rejected_count();
  progress.baseline = ledger.standing().baseline;
  progress.best = ledger.standing().best;
  progress.current = current;
  progress.cost_usd = ledger.cost_usd();
  input.progress(progress);
}

store::Step Turn::empty_step() const {
  store::Step step;
  step.number = ledger_.step_count() + 1;
  step.events = ledger_.announcements();
  return step;
}

Result<store::Step> Turn::first() {
  step_ = empty_step();
  if (Status status = evaluate_baselines(); !status) return status.error();
  if (step_.judgements.front().score <= 0) {
    evaluate::Verdict verdict = evaluate::verdict_from_json(step_.judgements.front().verdict);
    return Error{concat("the baseline does not pass, so there is nothing to improve: ", findings_text(verdict))};
  }
  size_t baseline_count = step_.candidates.size();
  for (const store::Candidate& candidate : input_.first)
    if (std::ranges::none_of(step_.candidates, [&](const auto& known) { return is_same(known, candidate); }))
      add_first(candidate, step_);
  step_.candidates.resize(
      std::min<size_t>(step_.candidates.size(), baseline_count + ledger_.options().budget_evaluations - 1));
  for (const store::Judgement& judgement : step_.judgements)
    take_baseline(evaluate::verdict_from_json(judgement.verdict), first_against_);
  std::vector<Task> tasks;
  for (size_t i = baseline_count; i < step_.candidates.size(); i++)
    tasks.push_back(task_for(step_.candidates[i], Depth::Screen));
  if (Status status = evaluate_these(tasks); !status) return status.error();
  return std::move(step_);
}

// The program as it is; then, as long as times suggest another, the same with NCCL and its launches in other forms.
Status Turn::evaluate_baselines() {
  std::vector<FurtherBaseline> wanted = {{input_.baseline, 0}};
  while (!wanted.empty()) {
    size_t begin = step_.candidates.size();
    for (const FurtherBaseline& each : wanted) add_first(each.candidate, step_);
    std::vector<Task> tasks;
    for (size_t i = 0; i < wanted.size(); i++) {
      tasks.push_back(task_for(step_.candidates[begin + i], Depth::Screen));
      tasks.back().bound_below_us = wanted[i].bound_below_us;
    }
    if (Status status = evaluate_these(tasks); !status) return status;
    bool goes_on = input_.next_baselines && step_.judgements.front().score > 0;
    wanted = goes_on ? input_.next_baselines(times_of(step_.judgements)) : std::vector<FurtherBaseline>();
  }
  return Done{};
}

Result<store::Step> Turn::next() {
  step_ = empty_step();
  write_lessons();
  propose_all();
  ledger_.set_aside_pending();
  if (step_.candidates.empty()) {
    step_.events.push_back({kStopEvent, silence_.empty() ? "No proposer has another idea." : silence_});
    return std::move(step_);
  }
  best_score_ = ledger_.standing().best == nullptr ? 0 : ledger_.standing().best->score;
  if (Status status = evaluate_all(); !status) return status.error();
  return std::move(step_);
}

void Turn::write_lessons() {
  if (!ledger_.lesson_is_due()) return;
  LessonWriter& statistics = means_.statistics;
  LessonWriter& writer = input_.lesson_writer != nullptr ? *input_.lesson_writer : statistics;
  Result<std::vector<store::Lesson>> lessons = writer.write(ledger_.members(), ledger_.lessons());
  std::string how = "by statistics";
  if (!lessons) {
    how = concat("by statistics, because of ", lessons.error().message);
    lessons = statistics.write(ledger_.members(), ledger_.lessons());
  }
  step_.lessons = *std::move(lessons);
  if (!step_.lessons.empty() && step_.lessons.front().author != "statistics") how = "by a model";
  step_.events.push_back(
      {"lesson", concat(counted(step_.lessons.size(), "lesson"), " drawn ", how, "."), writer.cost_usd()});
}

void Turn::propose_all() {
  const SearchOptions& options = ledger_.options();
  uint32_t count = std::min(options.batch, options.budget_evaluations - ledger_.evaluation_count());
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t island = (ledger_.turn_count() * options.batch + i) % options.islands;
    Assignment assignment = assignment_for(island);
    std::optional<size_t> repairer = assign_repair(assignment);
    auto answer = repairer ? ask_one(*repairer, assignment) : ask(island, assignment);
    if (answer) accept(std::move(answer->first), *input_.proposers[answer->second].proposer, assignment);
  }
}

void Turn::choose_members(uint32_t island, Assignment& assignment) const {
  const SearchOptions& options = ledger_.options();
  const std::vector<Member>& members = ledger_.members();
  const Population& population = ledger_.population();
  double pressure = assignment.phase == Phase::Explore ? kExplorePressure : options.selection_pressure;
  Parents parents = population.select(island, options.selection, pressure, means_.random);
  std::vector<size_t> shown = population.top(island, options.top_inspirations, parents.first);
  std::vector<size_t> elites = population.archive().sample(options.archive_inspirations, parents.first, means_.random);
  // Crossing with another kind brings in what the island's best have lost.
  if (!elites.empty() && means_.random.chance(0.5)) parents.second = elites.front();
  for (size_t elite : elites)
    if (std::ranges::find(shown, elite) == shown.end()) shown.push_back(elite);
  assignment.parent = &members[parents.first];
  assignment.other_parent = parents.second ? &members[*parents.second] : nullptr;
  assignment.inspirations = pointers(members, shown);
}

Assignment Turn::assignment_for(uint32_t island) const {
  const std::vector<Member>& members = ledger_.members();
  Assignment assignment;
  assignment.phase = ledger_.phase();
  assignment.is_late = ledger_.is_late();
  choose_members(island, assignment);
  assignment.baseline = &ledger_.baseline();
  assignment.failures = pointers(members, ledger_.population().recent_failures(ledger_.options().shown_failures));
  // Lessons that were drawn in this turn are in no step yet.
  for (const store::Lesson& lesson : step_.lessons.empty() ? ledger_.lessons() : step_.lessons)
    assignment.lessons.push_back(lesson.text);
  assignment.island = island;
  assignment.generation = ledger_.turn_count() + 1;
  assignment.members = &members;
  return assignment;
}

std::vector<size_t> Turn::askable(uint32_t island) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < input_.proposers.size(); ++i) {
    const std::vector<uint32_t>& islands = input_.proposers[i].islands;
    bool here = islands.empty() || std::ranges::find(islands, island) != islands.end();
    if (here && !means_.silenced.contains(i)) found.push_back(i);
  }
  return found;
}

// What is rejected goes back to who made it before anybody is asked for something new.
std::optional<size_t> Turn::assign_repair(Assignment& assignment) const {
  const std::vector<ProposerChoice>& proposers = input_.proposers;
  auto index_of = [&](const std::string& name) {
    auto found = std::ranges::find_if(proposers, [&](const auto& each) { return each.proposer->name() == name; });
    return static_cast<size_t>(found - proposers.begin());
  };
  auto repairs = [&](const std::string& name) {
    size_t index = index_of(name);
    return index < proposers.size() && proposers[index].proposer->repairs() && !means_.silenced.contains(index);
  };
  assignment.attempts = attempts_to_repair(ledger_.members(), repairs);
  if (assignment.attempts.empty()) return std::nullopt;
  assignment.parent = &ledger_.member(assignment.attempts.front()->candidate.parent);
  assignment.other_parent = nullptr;
  assignment.inspirations.clear();
  return index_of(assignment.attempts.back()->candidate.proposer);
}

// Who cannot go on is not asked again.
std::optional<std::pair<Proposal, size_t>> Turn::ask_one(size_t index, const Assignment& assignment) {
  Proposer& proposer = *input_.proposers[index].proposer;
  Result<std::optional<Proposal>> answer = proposer.propose(assignment, means_.random);
  if (answer) return *answer ? std::optional(std::pair(**std::move(answer), index)) : std::nullopt;
  means_.silenced.insert(index);
  silence_ = concat(proposer.name(), " cannot go on: ", answer.error().message);
  step_.events.push_back({"proposer", silence_});
  return std::nullopt;
}

// The bandit's favourite first; who has no idea passes the question on.
std::optional<std::pair<Proposal, size_t>> Turn::ask(uint32_t island, const Assignment& assignment) {
  std::vector<size_t> indices = askable(island);
  std::vector<std::string> names;
  for (size_t index : indices) names.push_back(input_.proposers[index].proposer->name());
  for (const std::string& name : ledger_.bandit().order(names)) {
    size_t index = indices[static_cast<size_t>(std::ranges::find(names, name) - names.begin())];
    if (auto answer = ask_one(index, assignment)) return answer;
  }
  return std::nullopt;
}

void Turn::accept(Proposal proposal, const Proposer& proposer, const Assignment& assignment) {
  store::Id id = static_cast<store::Id>(ledger_.members().size()) + 1;
  store::Candidate candidate = candidate_from(std::move(proposal), assignment, id);
  candidate.proposer = proposer.name();
  if (candidate.failure.empty() && candidate.files.empty()) candidate.failure = "there is no program in the proposal";
  Member member = member_of(candidate);
  if (candidate.failure.empty())
    if (std::optional<std::string> objection = ledger_.novelty().objection(member, ledger_.members()))
      candidate.failure = *std::move(objection);
  if (!candidate.failure.empty()) {
    candidate.files.clear();
    member = member_of(candidate);
  }
  member.pending = true;
  step_.candidates.push_back(std::move(candidate));
  ledger_.population().add(std::move(member), false);
  ledger_.novelty().catch_up(ledger_.members());
}

std::optional<Against> Turn::against() const {
  if (ledger_.members().empty()) return first_against_;
  std::optional<Against> all;
  for (const Member& member : ledger_.members())
    if (member.candidate.proposer == kBaseline) take_baseline(member.verdict, all);
  return all;
}

Task Turn::task_for(const store::Candidate& candidate, Depth depth) const {
  bool bound = !ledger_.members().empty() && std::ranges::any_of(input_.proposers, [&](const ProposerChoice& choice) {
    return choice.proposer->name() == candidate.proposer && !choice.proposer->uses_rewriter();
  });
  const store::Candidate* parent =
      bound ? &nearest_program(ledger_.members(), ledger_.member(candidate.parent)).candidate : nullptr;
  if (candidate.proposer == kBaseline) return {&candidate, parent, depth};
  return {&candidate, parent, depth, against(), best_us()};
}

std::optional<double> Turn::best_us() const {
  const Member* best = ledger_.members().empty() ? nullptr : ledger_.standing().best;
  if (best != nullptr) return best->verdict.timing->median_us;
  return first_against_ ? std::optional(first_against_->baseline_us) : std::nullopt;
}

Result<std::vector<evaluate::Verdict>> Turn::evaluate(const std::vector<Task>& tasks) {
  std::vector<std::string> lines;
  for (const Task& task : tasks) lines.push_back(concat("#", task.candidate->id, " ", task.candidate->intent));
  report_progress(input_, ledger_, lines);
  Result<std::vector<evaluate::Verdict>> verdicts = input_.evaluator->evaluate(tasks);
  if (verdicts) CUCO_ASSERT(verdicts->size() == tasks.size());
  return verdicts;
}

Status Turn::evaluate_all() {
  std::vector<Task> tasks;
  for (const store::Candidate& candidate : step_.candidates)
    if (candidate.failure.empty()) tasks.push_back(task_for(candidate, Depth::Screen));
  return evaluate_these(tasks);
}

Status Turn::evaluate_these(const std::vector<Task>& tasks) {
  if (tasks.empty()) return Done{};
  Result<std::vector<evaluate::Verdict>> verdicts = evaluate(tasks);
  if (!verdicts) return verdicts.error();
  for (size_t i = 0; i < tasks.size(); ++i) {
    step_.judgements.push_back(judgement_of(tasks[i].candidate->id, Depth::Screen, (*verdicts)[i]));
    announce_best(step_.judgements.back());
  }
  return Done{};
}

void Turn::announce_best(const store::Judgement& judgement) {
  if (judgement.score <= best_score_) return;
  best_score_ = judgement.score;
  step_.events.push_back({"best", concat("#", judgement.candidate, " takes ", milliseconds(*judgement.time_us), ".")});
}

std::vector<const Member*> Turn::finalists() const {
  const Member& baseline = ledger_.baseline();
  std::vector<const Member*> found;
  for (const Member& member : ledger_.members())
    if (member.candidate.proposer != kBaseline && member.passed() && is_better(member.verdict, baseline.verdict) &&
        !ledger_.closer_looks().contains(member.candidate.id))
      found.push_back(&member);
  std::ranges::stable_sort(found, std::greater<>(), &Member::score);
  size_t left =
      ledger_.options().finalists - std::min<size_t>(ledger_.options().finalists, ledger_.closer_looks().size());
  if (found.size() > left) found.resize(left);
  return found;
}

void Turn::end_with(const Member* best) {
  std::string text = best != nullptr ? concat("#", best->candidate.id, " is the best.")
                                     : "Nothing faster than the baseline passed; the baseline is the best.";
  step_.events.push_back({kEndEvent, text});
}

Result<store::Step> Turn::closer_look() {
  step_ = empty_step();
  std::vector<const Member*> left = finalists();
  if (left.empty()) {
    end_with(nullptr);
    return std::move(step_);
  }
  Result<std::vector<evaluate::Verdict>> verdicts = evaluate({task_for(left.front()->candidate, Depth::Full)});
  if (!verdicts) return verdicts.error();
  store::Judgement judgement = judgement_of(left.front()->candidate.id, Depth::Full, verdicts->front());
  // What schedules or sizes of the closer look make slower than the baseline is not faster.
  judgement.passed = judgement.passed && is_better(verdicts->front(), ledger_.baseline().verdict);
  step_.judgements.push_back(judgement);
  if (judgement.passed) end_with(left.front());
  return std::move(step_);
}

}  // namespace cuco::evolve
