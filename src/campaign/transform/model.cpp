#include <algorithm>

#include "agent/plan_text.h"
#include "agent/rewriter.h"
#include "base/text.h"
#include "campaign/transform/transform.h"
#include "evaluate/text/lexer.h"
#include "evolve/proposers/member_text.h"
#include "llm/session.h"
#include "model/report.h"

namespace cuco::campaign {

namespace {

// Tells the user that something is coming, and how much.
class ShownProgress : public llm::Progress {
 public:
  explicit ShownProgress(std::ostream& err, bool terminal) : err_(err), terminal_(terminal) {}
  void on_text(std::string_view, uint64_t output_tokens) override {
    if (terminal_) err_ << "\r  " << output_tokens << " tokens" << std::flush;
  }
  void on_retry(const std::string& reason, int64_t wait_ms) override {
    err_ << "  " << reason << "; again in " << wait_ms << " ms\n";
  }

 private:
  std::ostream& err_;
  bool terminal_;
};

llm::SessionOptions session_options(const ModelChoice& models) {
  llm::SessionOptions options;
  options.caps = {models.budget_usd, models.budget_calls};
  if (!models.prices.empty()) options.prices = models.prices;
  if (!models.record.empty()) options.models.record = models.record;
  if (!models.replay.empty()) options.models.replay = models.replay;
  return options;
}

agent::ProgramText program_text(const std::vector<rewrite::Source>& sources) {
  agent::ProgramText program;
  for (const rewrite::Source& source : sources) program.push_back({source.path, source.text});
  return program;
}

std::vector<rewrite::Source> sources_of(const agent::ProgramText& program) {
  std::vector<rewrite::Source> sources;
  for (const SourceFile& file : program) sources.push_back({file.name, file.text});
  return sources;
}

// What the last accepted program was accepted with.
struct Accepted {
  evaluate::Verdict verdict;
  Conversion conversion;
};

agent::Evaluation rejected_for(const char* kind, const std::string& why) { return {false, {{kind, -1, why}}}; }

bool is_same_code(const agent::ProgramText& a, const agent::ProgramText& b) {
  return std::ranges::equal(a, b, [](const SourceFile& one, const SourceFile& other) {
    return evaluate::normalised(one.text) == evaluate::normalised(other.text);
  });
}

rewrite::Asked asked_of(const TransformOptions& options) {
  if (!options.plan.empty()) return rewrite::Asked::Placements;
  return options.backend == "auto" ? rewrite::Asked::Nothing : rewrite::Asked::Backends;
}

agent::Evaluate evaluation(const TransformOptions& options, const Original& original, const space::Plan& plan,
                           const Context& context, Accepted& accepted) {
  return [&](const agent::ProgramText& program) -> Result<agent::Evaluation> {
    if (is_same_code(program, program_text(original.sources)))
      return rejected_for("no_change", "no change: the program differs from the original in comments and layout only");
    std::vector<rewrite::Source> sources = sources_of(program);
    Result<evaluate::Verdict> verdict = verify(original, sources, true);
    if (!verdict) return verdict.error();
    if (!verdict->passed()) return agent::Evaluation{false, evolve::reported(*verdict)};
    Result<Conversion> conversion = look_at_conversion(original, {sources, *verdict, plan, asked_of(options)}, context);
    // A program that the analysis cannot read was still built and run: that is for the model to repair.
    if (!conversion) return rejected_for("analysis", conversion.error().message);
    if (!conversion->proof.holds()) return rejected_for("proof", rewrite::to_text(conversion->proof));
    accepted = {*verdict, *conversion};
    return agent::Evaluation{true, {}};
  };
}

Result<agent::RewriteRequest> rewrite_request(const Original& original, const ModelTask& task, const Context& context) {
  Result<std::string> rules = agent::load_api_rules(*context.share, task.plan, agent::ApiReader::Converts);
  if (!rules) return rules.error();
  return agent::RewriteRequest{program_text(original.sources),
                               model::report_text(original.analyzed.program, original.analyzed.graph, false),
                               agent::describe_plan(task.plan), *rules, task.obstacles};
}

void show_attempts(const agent::RewriteResult& result, const llm::Session& session, Context& context) {
  for (size_t i = 0; i < result.attempts.size(); i++) context.out << agent::describe(result.attempts[i], i + 1) << "\n";
  context.out << session.spending() << "\n";
}

}  // namespace

Status transform_by_model(const TransformOptions& options, const Original& original, const ModelTask& task,
                          Context& context) {
  const space::Plan& plan = task.plan;
  llm::RealClock clock;
  Result<std::unique_ptr<llm::Session>> session =
      llm::Session::open(*context.share, session_options(options.models), context.environment, clock);
  if (!session) return session.error();
  Result<llm::Model*> model = (*session)->model(options.models.model);
  if (!model) return model.error();
  std::optional<agent::Judge> judge;
  if (!options.models.judge.empty()) {
    Result<llm::Model*> judging = (*session)->model(options.models.judge);
    if (!judging) return judging.error();
    Result<agent::Judge> loaded = agent::Judge::load(*context.share, **judging, {});
    if (!loaded) return loaded.error();
    judge = *std::move(loaded);
  }
  agent::RewriteLimits limits;
  limits.attempts_max = options.models.attempts;
  Result<agent::Rewriter> rewriter = agent::Rewriter::load(*context.share, **model, judge ? &*judge : nullptr, limits);
  if (!rewriter) return rewriter.error();
  Result<agent::RewriteRequest> request = rewrite_request(original, task, context);
  if (!request) return request.error();
  Accepted accepted;
  ShownProgress progress(context.err, context.colour);
  agent::RewriteResult result =
      rewriter->run(*request, evaluation(options, original, plan, context, accepted), progress);
  show_attempts(result, **session, context);
  if (result.stopped) return *result.stopped;
  if (!result.accepted) {
    context.out << "no attempt was accepted; nothing was written\n";
    context.exit_code = kProgramFailed;
    return Done{};
  }
  const Conversion& conversion = accepted.conversion;
  context.out << rewrite::to_text(conversion.proof);
  return hand_over(options, original,
                   {sources_of(*result.accepted), conversion.inferred.plan, conversion.proof, accepted.verdict},
                   context);
}

}  // namespace cuco::campaign
