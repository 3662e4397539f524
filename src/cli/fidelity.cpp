// cuco fidelity: the virtual clock beside a real one, program by program.
#include "campaign/fidelity.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/options.h"

namespace cuco::cli {

void add_fidelity(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<campaign::FidelityOptions>();
  options->evaluation.command = "cuco fidelity";
  options->evaluation.executor = "one-gpu";
  CLI::App* command = app.add_subcommand("fidelity", "Compare the virtual clock with GPUs, program by program");
  add_program_choice(*command, options->evaluation);
  command->get_option("PROGRAM")->required(false);
  command->add_option("--on", options->evaluation.executor, "What measures: mpi or one-gpu")->capture_default_str();
  add_gpu_choice(*command, options->gpu);
  command->add_option("--candidates", options->candidates, "Programs besides the baseline")->capture_default_str();
  command->add_option("--seed", options->seed, "Of the plans that are drawn")->capture_default_str();
  command->add_option("--from", options->from, "Take the times that a run has; nothing is measured")->type_name("RUN");
  command->add_flag("--retime", options->retime,
                    "Of a run: take virtual times of this version, at the size it ran, on --profile if given");
  add_run_limits(*command, options->evaluation);
  command->add_flag("--no-sandbox", options->evaluation.no_sandbox, "Run programs with your own rights");
  add_run_choice(*command, options->choice);
  command->footer(R"(Examples:
  cuco fidelity workloads/NAME --config large --on one-gpu --ranks 4 --profile h200-mps4
  cuco fidelity --from runs/NAME-large
  cuco fidelity --from runs/NAME-large --retime --profile h200-mps4

Writes programs of every placement that is legal, times each by the virtual clock and on the GPUs, at the same size, and
prints both, the error of each, the median error and Spearman's rank
correlation. Each is verified before it is timed.)");
  command->callback([options, &chosen] {
    chosen = [options](Context& context) { return campaign::show_fidelity(*options, context); };
  });
}

}  // namespace cuco::cli
