// cuco optimize: fast path and search, from a program to the fastest verified way to overlap its communication.
#include "campaign/optimize.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/options.h"

namespace cuco::cli {

namespace {

void add_search_choice(CLI::App& command, campaign::OptimizeOptions& options) {
  command.add_option("--on", options.evaluation.executor, "What times candidates: vcluster, mpi or one-gpu")
      ->capture_default_str();
  command.add_option("--proposers", options.proposers, "rules, model, or both: rules,model (default: rules)");
  command.add_option("--model", options.models, "A model that proposes; may be repeated, the one that pays is asked")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  command
      .add_option("--budget-evals", options.search.budget_evaluations, "Candidates to evaluate, the program included")
      ->capture_default_str();
  command.add_option("--budget-usd", options.budget_usd, "Models may cost so much at most");
  command.add_option("--budget-minutes", options.budget_minutes, "The search may take so long (default: no limit)");
  command.add_option("--islands", options.search.islands, "Populations that are bred apart")->capture_default_str();
  command.add_option("--seed", options.search.seed, "Of everything that the search draws")->capture_default_str();
  add_data_choice(command, options.evaluation);
  add_run_limits(command, options.evaluation);
  command.add_flag("--no-nvcc", options.evaluation.no_nvcc, "Do not build the best with nvcc where it is found");
  command.add_flag("--no-sandbox", options.evaluation.no_sandbox, "Run programs with your own rights");
  command.add_option("--out", options.out, "Folder of the run (default: runs/NAME-CONFIGURATION)")->type_name("DIR");
}

}  // namespace

void add_optimize(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<campaign::OptimizeOptions>();
  options->evaluation.command = "cuco optimize";
  CLI::App* command = app.add_subcommand("optimize", "Search for the fastest way to overlap a program's communication");
  add_program_choice(*command, options->evaluation);
  add_search_choice(*command, *options);
  add_gpu_choice(*command, options->gpu);
  add_run_choice(*command, options->choice);
  command->footer(R"(Examples:
  cuco optimize workloads/NAME --config small --budget-evals 30
  cuco optimize program.cu -n 4 --profile a100x4-nvlink -- rows=512
  cuco optimize program.cu --proposers rules,model --model anthropic:NAME --budget-usd 5
  cuco optimize workloads/NAME --config large --on one-gpu --ranks 4 --budget-minutes 10

Begins with the program itself and its simplest device-initiated forms, tries others, and looks closely at the best
under 16 schedules. What is timed is the size that is given. One that is too large to be
executed whole on the virtual cluster is timed by a sample of its blocks, and candidates are verified at smaller sizes
that take the same paths. On GPUs (mpi: a rank each; one-gpu: ranks share one) these are verified first, and gains are
against NCCL at its best as well. The run's folder gets best/, with the program's
files and the headers of cuco that they include, best.plan, report.html and everything that was tried; cuco diff RUN
shows what the best changes. Ctrl-C or a crash loses nothing: cuco resume RUN goes on, cuco replay RUN does all of it
again from the log and compares.)");
  command->callback(
      [options, &chosen] { chosen = [options](Context& context) { return campaign::optimize(*options, context); }; });
}

}  // namespace cuco::cli
