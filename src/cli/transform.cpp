// cuco transform: from a host-driven program to a device-initiated one, proven on the virtual cluster.
#include "campaign/transform/transform.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/options.h"

namespace cuco::cli {

namespace {

void add_model_choice(CLI::App& command, campaign::ModelChoice& models) {
  command
      .add_option("--model", models.model,
                  "anthropic:NAME, openai:NAME, openai-compatible:NAME@URL, azure:, bedrock:, command:PROGRAM, "
                  "mailbox:FOLDER")
      ->type_name("SPEC");
  command.add_option("--judge", models.judge, "A model that says what is wrong with a rejected program")
      ->type_name("SPEC");
  command.add_option("--attempts", models.attempts, "Rewritings asked for at most")->capture_default_str();
  command.add_option("--budget-usd", models.budget_usd, "Models may cost so much at most");
  command.add_option("--budget-calls", models.budget_calls, "So many calls at most");
  command.add_option("--record", models.record, "Append every call to this transcript")->type_name("FILE");
  command.add_option("--replay", models.replay, "Answer from this transcript instead of asking")->type_name("FILE");
  command.add_option("--prices", models.prices, "Prices of models, on top of those that ship")->type_name("FILE");
}

}  // namespace

void add_transform(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<campaign::TransformOptions>();
  options->evaluation.command = "cuco transform";
  CLI::App* command = app.add_subcommand("transform", "Make a program's communication device-initiated, and prove it");
  add_program_choice(*command, options->evaluation);
  add_judging(*command, options->evaluation);
  command->add_option("--backend", options->backend, "lsa, gin, hybrid, or auto: by the profile's topology")
      ->capture_default_str();
  command->add_option("--plan", options->plan, "How each site goes (default: the fast path with --backend)")
      ->type_name("FILE");
  command->add_option("--with", options->with, "rules, model, or auto: rules, and a model where no rule applies")
      ->capture_default_str();
  add_model_choice(*command, options->models);
  command->add_option("-o,--output", options->output, "Folder that the program is written to")
      ->required()
      ->type_name("FOLDER");
  command->add_flag("--single-file", options->single_file, "Write one file with cuco's headers in it: -o is its name");
  command->add_flag("--explain", options->explain, "Say what was done to each site and buffer");
  command->footer(R"(Examples:
  cuco transform program.cu -n 4 --backend lsa -o device
  cuco transform workloads/NAME --config small --backend gin -o device --explain
  cuco transform workloads/NAME --config large --plan my.plan --single-file -o overlapped.cu
  cuco transform program.cu --with model --model anthropic:NAME --budget-usd 2 -o device

Windows and the device communicator are put in, the collectives are replaced, and the result is verified; where it is
rejected, windows and communicator are verified with the host's collectives still in place, to say where the fault is.
Nothing is written unless the result passes. The folder gets the program's files under their own names and the headers of
cuco that they include; plan, proof, verdict and a list of all that was written come beside it. Nothing is written over
that cuco did not write. Exit code 1 means that the result was rejected; exit code 2 that no rule applies, with the
constructs that stand in the way.)");
  command->callback(
      [options, &chosen] { chosen = [options](Context& context) { return campaign::transform(*options, context); }; });
}

}  // namespace cuco::cli
