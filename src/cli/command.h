// What every subcommand gets and gives. Only this folder writes to the terminal, and only through a Context, so that a
// command can be run in a test.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace cuco::cli {

enum ExitCode : int {
  kFine = 0,
  kProgramFailed = 1,  // The program under study is wrong.
  kCannotServe = 2,    // The request is.
};

struct Context {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;
  ProcessRunner& processes;
  const Environment& environment;
  Result<std::filesystem::path> share;     // With device/ and profiles/; an error for installations that are broken.
  std::vector<std::string> trailing = {};  // What stood after "--": arguments of the program under study.
  ExitCode exit_code = kFine;              // Of a request that was served; a command sets it to kProgramFailed.
};

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
