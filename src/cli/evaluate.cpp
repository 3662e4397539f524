// cuco evaluate: builds, verifies and times a candidate, and prints the verdict.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/evaluation_input.h"

namespace cuco::cli {

namespace {

Status show_verdict(const EvaluationOptions& options, Context& context) {
  Result<evaluate::EvaluationRequest> request = make_evaluation(options, context);
  if (!request) return request.error();
  end_processes_on_interrupt();
  Result<evaluate::Verdict> verdict = evaluate::evaluate(*request);
  if (!verdict) return verdict.error();
  context.out << (options.json ? evaluate::to_json(*verdict) : evaluate::to_text(*verdict));
  if (!verdict->passed()) context.exit_code = kProgramFailed;
  return Done{};
}

}  // namespace

void add_evaluate(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<EvaluationOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Build, verify and time a candidate against its baseline");
  add_program_choice(*command, *options);
  add_candidate_choice(*command, *options);
  add_judging(*command, *options);
  command->footer(R"(Examples:
  cuco evaluate my_workload                                    the baseline itself, first configuration
  cuco evaluate my_workload --config small --candidate best.cu
  cuco evaluate program.cu -n 4 --json -- rows=512

Exit code 1 means that the candidate was rejected; each finding comes with its level and reason.)");
  command->callback(
      [options, &chosen] { chosen = [options](Context& context) { return show_verdict(*options, context); }; });
}

}  // namespace cuco::cli
