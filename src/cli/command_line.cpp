#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "base/printable.h"
#include "base/text.h"
#include "campaign/analyzed_program.h"
#include "cli/command.h"
#include "cli/options.h"
#include "model/compiler_words.h"

namespace cuco::cli {

namespace {

constexpr const char* kDescription =
    "cuco reads CUDA programs that communicate with NCCL and finds the fastest way to move that to the device and "
    "overlap.";

constexpr const char* kExamples = R"(Examples:
  cuco analyze program.cu                            what communicates, what it waits for, what could overlap
  cuco space program.cu --profile a100x4-nvlink      the legal ways to communicate on that machine
  cuco simulate program.cu -n 4 --schedules 16       run it on virtual GPUs, 16 schedules, and check it
  cuco init program.cu -o workloads/mine             a workload folder from a program as it is
  cuco evaluate WORKLOAD --candidate best            build, verify and time it against its baseline, in a sandbox
  cuco optimize WORKLOAD --config small              search for the fastest verified overlap of its communication
  cuco resume RUN; cuco replay RUN                   go on with a run that was stopped; do it again from its log
  cuco runs; cuco show RUN best                      what searches found; one candidate with its plan and verdict
  cuco diff RUN                                      what the best changes in the program's own files
  cuco doctor                                        what this machine has, and what is missing for what
  cuco calibrate -n 4 -o mine.toml                   measure this machine's GPUs, for --profile mine.toml
  cuco COMMAND --help                                options and examples of one command

Exit codes: 0 fine, 1 the program under study failed, 2 the request cannot be served, 70 a bug in cuco.)";

void declare(CLI::App& app, Action& chosen) {
  app.set_version_flag("--version", "cuco " CUCO_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(kExamples);
  add_analyze(app, chosen);
  add_space(app, chosen);
  add_simulate(app, chosen);
  add_trace(app, chosen);
  add_init(app, chosen);
  add_evaluate(app, chosen);
  add_transform(app, chosen);
  add_optimize(app, chosen);
  add_resume(app, chosen);
  add_replay(app, chosen);
  add_fidelity(app, chosen);
  add_runs(app, chosen);
  add_show(app, chosen);
  add_diff(app, chosen);
  add_export(app, chosen);
  add_lessons(app, chosen);
  add_doctor(app, chosen);
  add_profiles(app, chosen);
  add_calibrate(app, chosen);
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string suggestion(std::string_view wanted, const std::vector<std::string>& names) {
  std::string meant = closest(wanted, names);
  return meant.empty() ? "" : concat("; did you mean '", meant, "'?");
}

Status check_command_name(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  if (arguments.empty())
    return Error{concat("cuco: error: no command given; one of: ", join(names, ", "), " (see 'cuco --help')")};
  const std::string& wanted = arguments[0];
  auto later = std::ranges::find_first_of(arguments, names);
  bool is_for_all = wanted == "-h" || wanted == "--help" || wanted == "--version";
  if (wanted.starts_with("-") && later != arguments.end() && !is_for_all)
    return Error{concat("cuco: error: the command comes first: cuco ", *later, " ", wanted, " ...")};
  bool known = std::find(names.begin(), names.end(), wanted) != names.end();
  if (known || wanted.starts_with("-")) return Done{};
  return Error{concat("cuco: error: unknown command '", wanted, "'", suggestion(wanted, names),
                      " (commands: ", join(names, ", "), ")")};
}

// An argument that no option takes is named with the option that was probably meant: CLI11 would name only the
// argument, or complain first about what is missing because of the typing error.
std::optional<std::string> unexpected_argument(CLI::App& app) {
  std::vector<CLI::App*> commands = app.get_subcommands();
  commands.push_back(&app);
  for (const CLI::App* command : commands) {
    std::vector<std::string> left = command->remaining();
    if (left.empty()) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return concat("unexpected argument '", left[0], "'", suggestion(left[0], names));
  }
  return std::nullopt;
}

std::string name_of_command(CLI::App& app) {
  auto chosen = app.get_subcommands();
  return chosen.empty() ? "cuco" : "cuco " + chosen[0]->get_name();
}

Error usage_error(CLI::App& app, const std::string& problem) {
  std::string command = name_of_command(app);
  return Error{concat(command, ": error: ", problem, " (see '", command, " --help')")};
}

// CLI11 throws; nothing else in cuco does, so its exceptions end here.
Status parse(CLI::App& app, std::vector<std::string> arguments, Context& context) {
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForVersion& version) {
    context.out << version.what() << "\n";
  } catch (const CLI::CallForHelp&) {
    context.out << app.help();
  } catch (const CLI::ParseError& failure) {
    return usage_error(app, unexpected_argument(app).value_or(failure.what()));
  }
  return Done{};
}

// For commands that read source files.
std::vector<std::string> without_compiler_words(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<CLI::App*> commands = commands_of(app);
  auto command = std::ranges::find(commands, arguments[0], [](const CLI::App* each) { return each->get_name(); });
  if (command == commands.end() || (*command)->get_option_no_throw("-I") == nullptr) return arguments;
  bool has_output = (*command)->get_option_no_throw("-o") != nullptr;
  return model::without_code_generation(arguments, has_output ? model::OutputWord::Kept : model::OutputWord::Dropped);
}

Status act(std::vector<std::string> arguments, Context& context) {
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) {
    context.trailing.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }
  CLI::App app(kDescription, "cuco");
  Action chosen;
  declare(app, chosen);
  if (Status status = check_command_name(app, arguments); !status) return status;
  if (Status status = parse(app, with_long_options(without_compiler_words(app, arguments)), context); !status)
    return status;
  return chosen ? chosen(context) : Status(Done{});
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, Context& context) {
  Status status = act(arguments, context);
  context.out.flush();
  if (status && !context.out)
    status = Error{concat("cuco: error: standard output cannot be written: ", std::strerror(errno))};
  if (status) return context.exit_code;
  context.err << printable(trim(status.error().message)) << "\n";
  return campaign::kCannotServe;
}

}  // namespace cuco::cli
