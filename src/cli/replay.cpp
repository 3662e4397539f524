// cuco replay: does a run again from its campaign and its log alone, and compares the two databases byte for byte.
#include "campaign/replay.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/options.h"

namespace cuco::cli {

void add_replay(CLI::App& app, Action& chosen) {
  auto run = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("replay", "Do a run again from its log and compare, byte for byte");
  add_run_option(*command, *run);
  command->footer(R"(Examples:
  cuco replay runs/mine-small

Nothing is built, run or asked: every verdict and every reply of a model comes from the run's log. Exit code 1 means that
the two differ, with the first difference. A campaign.sqlite that was lost is made again.)");
  command->callback([run, &chosen] { chosen = [run](Context& context) { return campaign::replay(*run, context); }; });
}

}  // namespace cuco::cli
