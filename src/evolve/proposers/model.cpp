#include "evolve/proposers/model.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "agent/plan_text.h"
#include "agent/space_text.h"
#include "base/text.h"
#include "evaluate/text/text_check.h"
#include "evolve/proposers/member_text.h"
#include "space/enumerate.h"

namespace cuco::evolve {

namespace {

using agent::ProposalKind;

constexpr size_t kLateParents = 3;
constexpr size_t kLineBytesMax = 200;

ProposalKind draw_kind(const RequestMix& mix, bool can_cross, Random& random) {
  double crossover = can_cross ? mix.crossover : 0;
  double at = random.unit() * (mix.full + mix.diff + crossover);
  if (at < mix.full) return ProposalKind::Full;
  return at < mix.full + mix.diff || !can_cross ? ProposalKind::Diff : ProposalKind::Crossover;
}

struct Changeable {
  const Member* member = nullptr;
  agent::EditableProgram program;
};

std::optional<Changeable> changeable(const Member& member) {
  Result<agent::EditableProgram> program = editable_program(member.candidate.files);
  if (!program || program->blocks.empty()) return std::nullopt;
  return Changeable{&member, *std::move(program)};
}

std::vector<const Member*> best_first(const Assignment& assignment) {
  std::vector<const Member*> passed;
  if (assignment.members != nullptr)
    for (const Member& member : *assignment.members)
      if (member.passed()) passed.push_back(&member);
  std::ranges::stable_sort(passed, std::greater<>(), &Member::score);
  return passed;
}

// A member that was made without blocks, such as a plain baseline, has nothing that a model may change. Late in the
// budget only the best are parents.
Result<Changeable> changeable_parent(const Assignment& assignment, Random& random) {
  if (!assignment.is_late)
    if (std::optional<Changeable> chosen = changeable(*assignment.parent)) return *std::move(chosen);
  std::vector<Changeable> best;
  size_t wanted = assignment.is_late ? kLateParents : 1;
  for (const Member* member : best_first(assignment))
    if (std::optional<Changeable> one = changeable(*member); one && best.size() < wanted)
      best.push_back(*std::move(one));
  if (best.empty()) return Error{"no member has an evolve block, so nothing may change"};
  return best[random.below(best.size())];
}

bool can_cross(const Member& parent, const Member* other) {
  if (other == nullptr || other->candidate.id == parent.candidate.id) return false;
  return changeable(*other).has_value();
}

std::string draw_text(Random& random) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(random.next() >> 32));
  return text;
}

std::string directive_text(const std::optional<space::Plan>& asked) {
  if (!asked)
    return concat(
        "Choose the design yourself: what the critical path, the lessons and the other members suggest, in all five "
        "dimensions of every site.\n",
        agent::describe_placements());
  return concat(
      "Follow this design; where it cannot be followed, come as close as is correct and state in PLAN what the "
      "code does.\n",
      agent::describe_plan(*asked), "As PLAN states it:\n", space::to_text(*asked));
}

// The choices of all of them, for a look at the backends in use.
space::Plan joined(const space::Plan& asked, const std::optional<space::Plan>& parent) {
  space::Plan plan = asked;
  if (parent) plan.choices.insert(plan.choices.end(), parent->choices.begin(), parent->choices.end());
  return plan;
}

space::Plan plan_with(const std::vector<space::Backend>& backends) {
  space::Plan plan;
  for (space::Backend backend : backends) plan.choices.push_back({"any", {.backend = backend}});
  return plan;
}

std::vector<space::Backend> legal_backends(const std::vector<space::SiteFacts>& sites,
                                           const model::HardwareProfile& profile) {
  std::set<space::Backend> backends;
  for (const space::SiteFacts& site : sites)
    for (const space::Directive& directive : space::legal_directives(site, profile)) backends.insert(directive.backend);
  return {backends.begin(), backends.end()};
}

std::string lessons_text(const std::vector<std::string>& lessons) {
  std::string text;
  for (const std::string& lesson : lessons) text += concat(trim(lesson), "\n");
  return text;
}

// What else a block may not hold is for the evaluator to find: that teaches the search, this is a reply gone wrong.
std::string frozen_fault(const agent::ProgramText& parent, const agent::ProgramText& candidate) {
  for (const evaluate::Finding& finding : evaluate::check_text({parent, candidate, /*rewritten=*/false}))
    if (finding.kind == "frozen_text" || finding.kind == "marker") return finding.text;
  return {};
}

std::string unusable(const llm::Reply& reply, uint64_t tokens_max) {
  if (reply.stop_reason == llm::StopReason::MaxTokens)
    return concat("the reply was cut off at its limit of ", tokens_max, " tokens");
  if (reply.stop_reason == llm::StopReason::Refused) return "the model refused to reply";
  return {};
}

std::string attempt_line(const Member& attempt) {
  std::vector<agent::ReportedFinding> why = reported(attempt);
  std::string first = why.empty() ? "" : concat(": ", why[0].kind, ", ", squeeze(why[0].text.substr(0, kLineBytesMax)));
  return concat(attempt.candidate.intent, "; rejected", first);
}

std::string kind_text(ProposalKind kind, const Assignment& assignment) {
  if (kind != ProposalKind::Repair) return std::string(agent::name_of(kind));
  return concat(agent::name_of(kind), " ", assignment.attempts.size(), " of #",
                assignment.attempts.back()->candidate.id);
}

std::string intent_of(const agent::StatedProposal& stated, const std::optional<space::Plan>& parent) {
  if (!stated.intent.empty()) return stated.intent;
  if (!parent) return "a program of the stated plan";
  std::string difference = plan_difference(*parent, stated.plan);
  return difference.empty() ? "other code for the same plan" : difference;
}

}  // namespace

void set_design_space(ModelProposerInput& input, const std::vector<space::SiteFacts>& sites,
                      const model::HardwareProfile& profile) {
  input.machine = agent::describe_machine(profile) + agent::describe_choices(sites, profile);
  input.backends = legal_backends(sites, profile);
  input.sites.clear();
  for (const space::SiteFacts& site : sites) input.sites.push_back(site.name);
  input.choose_plan = untried_legal_plans(sites, profile);
}

Result<std::unique_ptr<Proposer>> ModelProposer::make(ModelProposerInput input) {
  Result<agent::ProposerPrompts> prompts = agent::ProposerPrompts::load(input.share, input.mix.limits);
  if (!prompts) return prompts.error();
  return std::unique_ptr<Proposer>(new ModelProposer(std::move(input), *std::move(prompts)));
}

const RequestMix& ModelProposer::mix_of(Phase phase) const {
  return phase == Phase::Explore ? input_.mix.explore : input_.mix.exploit;
}

std::optional<space::Plan> ModelProposer::draw_plan(const Assignment& assignment, ProposalKind kind,
                                                    Random& random) const {
  bool asked = random.chance(mix_of(assignment.phase).asked);
  if (!asked || !input_.choose_plan) return std::nullopt;
  return input_.choose_plan(kind, assignment, random);
}

std::vector<std::string> ModelProposer::sites_of(const Member& parent) const {
  if (!input_.sites.empty()) return input_.sites;
  std::vector<std::string> sites;
  if (parent.plan)
    for (const space::SiteChoice& choice : parent.plan->choices) sites.push_back(choice.site);
  return sites;
}

Result<agent::ProposalRequest> ModelProposer::make_request(const Turn& turn) const {
  const Assignment& assignment = turn.assignment;
  space::Plan spoken_of = turn.asked ? joined(*turn.asked, turn.parent.plan) : plan_with(input_.backends);
  Result<std::string> rules = agent::load_api_rules(input_.share, spoken_of, agent::ApiReader::Proposes);
  if (!rules) return rules.error();
  agent::ProposalRequest request;
  request.program = turn.program;
  request.verdict = standing_text(turn.parent);
  request.directive = directive_text(turn.asked);
  request.api_rules = *rules;
  request.machine = input_.machine;
  request.analysis = input_.analysis;
  request.inspirations = inspirations_text(assignment.inspirations, turn.parent);
  request.failures = failures_text(assignment.failures, input_.mix.failures_max);
  request.lessons = lessons_text(assignment.lessons);
  request.draw = turn.draw;
  if (turn.kind == ProposalKind::Repair)
    request.rejection = agent::rejection_text(rejection_of(assignment, turn.program.files));
  if (turn.kind != ProposalKind::Crossover) return request;
  Result<agent::EditableProgram> other = editable_program(assignment.other_parent->candidate.files);
  if (!other) return other.error();
  request.other = *std::move(other);
  request.other_verdict = standing_text(*assignment.other_parent);
  return request;
}

// Two programs may not fit where one does.
Result<llm::Prompt> ModelProposer::make_prompt(Turn& turn) const {
  Result<agent::ProposalRequest> request = make_request(turn);
  if (!request) return request.error();
  Result<agent::RolePrompt> made = prompts_.make(turn.kind, *request);
  if (!made && turn.kind == ProposalKind::Crossover) {
    turn.kind = ProposalKind::Diff;
    made = prompts_.make(turn.kind, *request);
  }
  if (!made) return made.error();
  made->prompt.temperature = mix_of(turn.assignment.phase).temperature;
  return made->prompt;
}

// Of the last attempt; those before it are a line each.
agent::Rejection ModelProposer::rejection_of(const Assignment& assignment, const agent::ProgramText& program) const {
  agent::Rejection rejection;
  rejection.program = program;
  const Member& last = *assignment.attempts.back();
  rejection.findings = reported(last);
  if (last.candidate.files.empty()) rejection.reply = logged_text(input_.model, last.candidate.reply);
  for (const Member* attempt : assignment.attempts)
    if (attempt != &last) rejection.attempts.push_back(attempt_line(*attempt));
  return rejection;
}

Result<ModelProposer::Turn> ModelProposer::new_turn(const Assignment& assignment, Random& random) const {
  Result<Changeable> parent = changeable_parent(assignment, random);
  if (!parent) return parent.error();
  bool crosses = can_cross(*parent->member, assignment.other_parent);
  ProposalKind kind = draw_kind(mix_of(assignment.phase), crosses, random);
  std::optional<space::Plan> asked = draw_plan(assignment, kind, random);
  return Turn{assignment, *parent->member, std::move(parent->program), kind, std::move(asked), draw_text(random)};
}

// Made from the latest program of the attempts, else from what the first of them was made from.
Result<ModelProposer::Turn> ModelProposer::repair_turn(const Assignment& assignment, Random& random) const {
  const Member& last = *assignment.attempts.back();
  const Member* base = assignment.parent;
  for (const Member* attempt : assignment.attempts)
    if (!attempt->candidate.files.empty()) base = attempt;
  Result<agent::EditableProgram> program = editable_program(base->candidate.files);
  if (!program) return program.error();
  std::optional<space::Plan> asked = last.plan ? last.plan : base->plan;
  return Turn{assignment, *base, *std::move(program), ProposalKind::Repair, std::move(asked), draw_text(random)};
}

// The draws are the same whether the log, a model or nobody answers.
Result<std::optional<Proposal>> ModelProposer::propose(const Assignment& assignment, Random& random) {
  Result<Turn> turn = assignment.attempts.empty() ? new_turn(assignment, random) : repair_turn(assignment, random);
  if (!turn) return turn.error();
  Result<llm::Prompt> prompt = make_prompt(*turn);
  if (!prompt) return prompt.error();
  llm::Progress silent;
  Result<Answer> answer = ask(input_.model, *prompt, input_.progress != nullptr ? *input_.progress : silent);
  if (!answer) return answer.error();
  if (!answer->outcome) return answer->outcome.error();
  return std::optional(read(*turn, *answer));
}

Proposal ModelProposer::read(const Turn& turn, const Answer& answer) const {
  const llm::Reply& reply = *answer.outcome;
  Proposal proposal;
  std::string kind = kind_text(turn.kind, turn.assignment);
  proposal.intent = concat(kind, ": no program");
  bool repairs = turn.kind == ProposalKind::Repair;
  proposal.parent = repairs ? turn.assignment.attempts.back()->candidate.id : turn.parent.candidate.id;
  proposal.crossed = turn.kind == ProposalKind::Crossover;
  proposal.prompt = proposal.reply = answer.key;
  proposal.cost_usd = reply.cost_usd.value_or(0);
  proposal.failure = unusable(reply, input_.mix.limits.reply_tokens_max);
  if (!proposal.failure.empty()) return proposal;
  Result<agent::StatedProposal> stated = agent::read_proposal(turn.program, sites_of(turn.parent), reply.text);
  if (!stated) {
    proposal.failure = stated.error().message;
    // What mends it keeps to the design.
    if (Result<space::Plan> plan = agent::read_stated_plan(sites_of(turn.parent), reply.text)) proposal.plan = *plan;
    return proposal;
  }
  proposal.plan = stated->plan;
  proposal.intent = concat(kind, ": ", intent_of(*stated, turn.parent.plan));
  proposal.failure = frozen_fault(turn.program.files, stated->program);
  if (proposal.failure.empty()) accept(*stated, proposal);
  return proposal;
}

void ModelProposer::accept(const agent::StatedProposal& stated, Proposal& proposal) const {
  proposal.files = stated.program;
  if (!input_.infer_plan) return;
  Result<space::Plan> inferred = input_.infer_plan(proposal.files);
  // A program that cannot be read is one that the evaluator will reject with a better reason.
  if (!inferred) return;
  proposal.inferred_plan = *inferred;
  std::string difference = plan_difference(stated.plan, *inferred);
  if (!difference.empty()) proposal.intent += concat(" (stated, then found in the code: ", difference, ")");
}

}  // namespace cuco::evolve
