// The subcommands, a file each. Only this folder and what it calls in campaign/ writes to the terminal, and only
// through a Context.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/context.h"

namespace CLI {
class App;
}

namespace cuco::cli {

using campaign::Context;

// Writes its result to context.out; an error is printed by the caller.
using Action = std::function<Status(Context&)>;

// Each adds one subcommand to the command line. The one that the user names stores in `chosen` what it will do.
void add_analyze(CLI::App& app, Action& chosen);
void add_init(CLI::App& app, Action& chosen);
void add_simulate(CLI::App& app, Action& chosen);
void add_trace(CLI::App& app, Action& chosen);
void add_evaluate(CLI::App& app, Action& chosen);
void add_transform(CLI::App& app, Action& chosen);
void add_optimize(CLI::App& app, Action& chosen);
void add_resume(CLI::App& app, Action& chosen);
void add_replay(CLI::App& app, Action& chosen);
void add_fidelity(CLI::App& app, Action& chosen);
void add_space(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_profiles(CLI::App& app, Action& chosen);
void add_calibrate(CLI::App& app, Action& chosen);
void add_runs(CLI::App& app, Action& chosen);
void add_show(CLI::App& app, Action& chosen);
void add_diff(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_lessons(CLI::App& app, Action& chosen);

// The whole of cuco: parses the arguments (without the program's name), acts, returns the exit code.
int run_command_line(const std::vector<std::string>& arguments, Context& context);

}  // namespace cuco::cli
