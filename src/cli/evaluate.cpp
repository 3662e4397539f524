// cuco evaluate: builds, verifies and times a candidate, and prints the verdict.
#include <CLI/CLI.hpp>
#include <memory>

#include "campaign/gpu_request.h"
#include "campaign/result_file.h"
#include "cli/options.h"
#include "evaluate/text/original_lines.h"

namespace cuco::cli {

namespace {

struct EvaluateOptions {
  campaign::EvaluationOptions evaluation;
  campaign::GpuOptions gpu;
  std::string trace;
};

Status write_trace(const evaluate::EvaluationRequest& request, const std::string& path) {
  Result<evaluate::TracedRun> traced = evaluate::trace_candidate(request);
  return traced ? campaign::write_result_file(path, traced->trace, campaign::kTraceBeginning) : Status(traced.error());
}

Result<evaluate::Verdict> judge_on_vcluster(const EvaluateOptions& options, Context& context) {
  Result<evaluate::EvaluationRequest> request = campaign::make_evaluation(options.evaluation, context);
  if (!request) return request.error();
  campaign::end_processes_on_interrupt();
  Result<evaluate::Verdict> verdict = evaluate::evaluate(*request);
  if (verdict) evaluate::name_original_lines(*verdict, request->baseline, request->candidate);
  if (!verdict || !verdict->passed() || options.trace.empty()) return verdict;
  if (Status written = write_trace(*request, options.trace); !written) return written.error();
  return verdict;
}

// What can be refused is, before a GPU is locked.
Result<evaluate::Verdict> judge_on_gpus(const EvaluateOptions& options, Context& context) {
  Result<gpu::GpuRequest> request = campaign::make_gpu_request(options.evaluation, options.gpu, context);
  if (!request) return request.error();
  Result<gpu::Toolchain> toolchain = gpu::find_toolchain(context.processes, context.environment);
  if (!toolchain) return toolchain.error();
  request->session.nccl_library = toolchain->nccl_library;
  request->session.report = request->request.progress;
  campaign::end_processes_on_interrupt();
  Result<gpu::Session> session = gpu::Session::open(request->session, context.processes, context.environment);
  if (!session) return session.error();
  return gpu::evaluate(*request, *session, *toolchain);
}

Status show_verdict(const EvaluateOptions& given, Context& context) {
  const campaign::EvaluationOptions& options = given.evaluation;
  Result<bool> on_gpus = campaign::runs_on_gpus(options);
  if (!on_gpus) return on_gpus.error();
  if (Status fine = campaign::check_result_file(given.trace, campaign::kTraceBeginning); !fine) return fine;
  if (*on_gpus && !given.trace.empty()) return Error{"--trace: only runs on the virtual cluster have a timeline"};
  Result<evaluate::Verdict> verdict = *on_gpus ? judge_on_gpus(given, context) : judge_on_vcluster(given, context);
  if (!verdict) return verdict.error();
  context.out << (options.json ? evaluate::to_json(*verdict) : evaluate::to_text(*verdict));
  if (!verdict->passed()) context.exit_code = campaign::kProgramFailed;
  if (verdict->passed() && !given.trace.empty() && !options.json) context.out << "written  " << given.trace << "\n";
  return Done{};
}

}  // namespace

void add_evaluate(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Build, verify and time a candidate against its baseline");
  add_program_choice(*command, options->evaluation);
  add_candidate_choice(*command, options->evaluation);
  add_judging(*command, options->evaluation);
  add_gpu_choice(*command, options->gpu);
  command->add_option("--trace", options->trace, "Write a timeline of the timed run for chrome://tracing here");
  command->footer(R"(Examples:
  cuco evaluate my_workload                                    the baseline itself, first configuration
  cuco evaluate my_workload --config small --candidate runs/mine/best --rewritten
  cuco evaluate program.cu -n 4 --json -- rows=512
  cuco evaluate my_workload --config full --on one-gpu -n 4    four ranks that share one GPU, verified here first

Exit code 1 means that the candidate was rejected; each finding comes with its level and reason.)");
  command->callback(
      [options, &chosen] { chosen = [options](Context& context) { return show_verdict(*options, context); }; });
}

}  // namespace cuco::cli
