#include "agent/rewriter.h"

#include "agent/reply.h"
#include "agent/role_prompt.h"
#include "base/number_text.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

const char* const kNothingYet = "No attempt has been evaluated yet.";
const char* const kNoObstacle = "None is known.";
constexpr size_t kSummaryBytesMax = 160;

// Why a reply cannot be used at all, before its text is looked at.
std::string unusable(const llm::Reply& reply, uint64_t tokens_max) {
  if (reply.stop_reason == llm::StopReason::MaxTokens)
    return concat("the reply was cut off at its limit of ", tokens_max, " tokens; send SEARCH/REPLACE edits");
  if (reply.stop_reason == llm::StopReason::Refused) return "the reply was refused; keep to the task of rewriting";
  return "";
}

std::string malformed(const std::string& reason, const std::string& reply) {
  return concat("Your last reply could not be used. The program is as it was before that reply.\n",
                rejection_text({{}, {{"reply", -1, reason}}, reply, {}}));
}

// Of all attempts but the last, which is told at length.
std::string earlier_text(const std::vector<RewriteAttempt>& attempts) {
  std::string text;
  for (size_t i = 0; i + 1 < attempts.size(); ++i) text += concat("- attempt ", i + 1, ", ", attempts[i].summary, "\n");
  return text.empty() ? text : concat("\nEarlier attempts:\n", text);
}

std::string first_of(const std::vector<ReportedFinding>& findings) {
  if (findings.empty()) return {};
  return concat(": ", findings[0].kind, ", ", squeeze(findings[0].text.substr(0, kSummaryBytesMax)));
}

std::string_view name_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::Malformed:
      return "malformed reply";
    case AttemptOutcome::Unevaluated:
      return "not evaluated";
    case AttemptOutcome::Rejected:
      return "rejected";
    case AttemptOutcome::Accepted:
      break;
  }
  return "accepted";
}

std::string cost_text(const std::optional<double>& usd) { return usd ? dollars(*usd, 4) : "cost unknown"; }

}  // namespace

Result<Rewriter> Rewriter::load(const std::filesystem::path& share, llm::Model& model, const Judge* judge,
                                RewriteLimits limits) {
  CUCO_TRY(PromptTemplate prompt,
           PromptTemplate::load(share, "rewriter",
                                {"api_rules", "directive", "obstacles", "analysis", "program", "diagnosis"}));
  return Rewriter(model, std::move(prompt), judge, limits);
}

// A rejected program is the base of the next attempt, so that edits can mend it; a malformed reply leaves the base and
// what was said about it.
RewriteResult Rewriter::run(const RewriteRequest& request, const Evaluate& evaluate, llm::Progress& progress,
                            const OnPrompt& on_prompt) const {
  Run run{request, evaluate, progress, on_prompt};
  RewriteResult result;
  ProgramText program = request.program;
  std::string about_program = kNothingYet;
  std::string diagnosis = about_program;
  for (int left = limits_.attempts_max; left > 0 && !result.accepted && !result.stopped; --left) {
    Result<RewriteAttempt> made = attempt(run, program, diagnosis + earlier_text(result.attempts));
    if (!made) {
      result.stopped = made.error();
      break;
    }
    // After the last attempt nobody would read what a judge says.
    Status evaluated = evaluate_attempt(run, *made, left > 1 ? judge_ : nullptr);
    if (!evaluated) result.stopped = evaluated.error();
    if (made->program) {
      program = *made->program;
      diagnosis = about_program = made->diagnosis;
    } else {
      diagnosis = concat(made->diagnosis, "\n\n", about_program);
    }
    if (made->outcome == AttemptOutcome::Accepted) result.accepted = program;
    result.attempts.push_back(*std::move(made));
  }
  return result;
}

Result<RewriteAttempt> Rewriter::attempt(const Run& run, const ProgramText& program,
                                         const std::string& diagnosis) const {
  const RewriteRequest& request = run.request;
  std::vector<Section> sections = {{"api_rules", request.api_rules, 0},
                                   {"directive", request.directive, 0},
                                   {"obstacles", request.obstacles.empty() ? kNoObstacle : request.obstacles, 0},
                                   {"analysis", request.analysis, 1},
                                   {"program", fenced(program), 0},
                                   {"diagnosis", diagnosis, 2}};
  CUCO_TRY(RolePrompt made, make_role_prompt(prompt_, sections, limits_.prompt_tokens_max));
  made.prompt.max_tokens = limits_.reply_tokens_max;
  made.prompt.temperature = limits_.temperature;
  if (run.on_prompt) run.on_prompt("rewriter", made.sizes);
  CUCO_TRY(llm::Reply reply, model_->complete(made.prompt, run.progress));
  RewriteAttempt attempt{AttemptOutcome::Malformed, "", "", made.sizes, reply, std::nullopt};
  std::string reason = unusable(reply, limits_.reply_tokens_max);
  if (reason.empty()) {
    Result<ProgramText> changed = apply_reply(program, reply.text);
    if (changed)
      attempt.program = *std::move(changed);
    else
      reason = changed.error().message;
  }
  if (attempt.program) return attempt;
  attempt.diagnosis = malformed(reason, reply.text);
  attempt.summary = concat(name_of(attempt.outcome), ": ", reason);
  return attempt;
}

// An error is that of the evaluation or of the judge's model; after the latter the report is the diagnosis.
Status Rewriter::evaluate_attempt(const Run& run, RewriteAttempt& attempt, const Judge* judge) const {
  if (!attempt.program) return Done{};
  attempt.outcome = AttemptOutcome::Unevaluated;
  Result<Evaluation> evaluation = run.evaluate(*attempt.program);
  if (!evaluation) return evaluation.error();
  attempt.outcome = evaluation->accepted ? AttemptOutcome::Accepted : AttemptOutcome::Rejected;
  if (evaluation->accepted) return Done{};
  std::string report = rejection_text({*attempt.program, evaluation->findings, "", {}});
  attempt.diagnosis = report;
  attempt.summary = concat(name_of(attempt.outcome), first_of(evaluation->findings));
  if (judge == nullptr) return Done{};
  CUCO_TRY(std::string judged,
           judge->diagnose(*attempt.program, run.request.directive, report, run.progress, run.on_prompt));
  attempt.diagnosis = concat(judged, "\n\nThe report it is based on:\n", report);
  return Done{};
}

std::string describe(const RewriteAttempt& attempt, size_t number) {
  return concat("attempt ", number, ": ", name_of(attempt.outcome), "; prompt ", size_report(attempt.prompt_sizes),
                "; reply ", attempt.reply.usage.output_tokens, " tokens, ", cost_text(attempt.reply.cost_usd));
}

}  // namespace cuco::agent
