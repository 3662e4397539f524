#include "cli/program_input.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/compile_commands.h"

namespace cuco::cli {

namespace {

constexpr const char* kOneDashNames[] = {"-isystem", "-iquote", "-include"};

void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list, const std::string& help,
              const std::string& type) {
  command.add_option(name, list, help)->type_name(type)->allow_extra_args(false);
}

void add_build_flags(CLI::App& command, model::BuildFlags& flags) {
  add_list(command, "-I", flags.include_folders, "Look for included files there too; may be repeated", "DIR");
  add_list(command, "--isystem", flags.system_include_folders, "Likewise, after all -I; also -isystem DIR", "DIR");
  add_list(command, "--iquote", flags.quote_folders, "Likewise, for #include \"...\" alone; also -iquote DIR", "DIR");
  add_list(command, "-D", flags.definitions, "Define a macro, as for a compiler; may be repeated", "NAME[=VALUE]");
  add_list(command, "-U", flags.undefinitions, "Undefine a macro; may be repeated", "NAME");
  add_list(command, "--include", flags.forced_includes, "Include a file before each source; also -include FILE",
           "FILE");
  command
      .add_option_function<std::vector<std::string>>(
          "--std",
          [&flags](const std::vector<std::string>& standards) {
            for (const std::string& standard : standards) model::set_standard(flags, standard);
          },
          concat("Language standard, such as c++20, or c11 for .c files; also -std=STANDARD [", flags.standard, "]"))
      ->type_name("STANDARD")
      ->allow_extra_args(false);
  add_list(command, "-l", flags.libraries, "Link with a library of this machine; may be repeated", "NAME");
  add_list(command, "-L", flags.library_folders, "Look for libraries there too; may be repeated", "DIR");
  command
      .add_option("--region", flags.region, "What is timed: FILE:FIRST-LAST lines, or a FUNCTION; found unless given")
      ->type_name("PLACE");
}

}  // namespace

std::vector<std::string> with_long_options(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-std=")) {
      words.insert(words.end(), {"--std", argument.substr(5)});
      continue;
    }
    auto name = std::ranges::find_if(kOneDashNames, [&](const char* each) { return argument.starts_with(each); });
    if (name == std::end(kOneDashNames)) {
      words.push_back(argument);
      continue;
    }
    words.push_back(concat("-", *name));
    if (argument != *name) words.push_back(argument.substr(std::string_view(*name).size()));
  }
  return words;
}

void add_sources(CLI::App& command, std::vector<std::string>& files, model::BuildFlags& flags,
                 const std::string& what) {
  CLI::Option* given = command.add_option("PROGRAM", files, what)->required()->type_name("FILE");
  add_build_flags(command, flags);
  auto database = std::make_shared<std::string>();
  command
      .add_option_function<std::string>(
          "-p",
          [given, database](const std::string& folder) {
            *database = folder;
            given->required(false);
          },
          "Folder with compile_commands.json: flags of each file, and files if none are given")
      ->type_name("DIR");
  // When all options are read. CLI11 takes refusals as exceptions alone, and catches them.
  command.parse_complete_callback([&files, &flags, database] {
    if (database->empty()) return;
    if (Status taken = take_compile_commands(*database, files, flags); !taken)
      throw CLI::ValidationError("-p", taken.error().message);
  });
}

void add_program_options(CLI::App& command, frontend::ParseRequest& request) {
  add_sources(command, request.files, request.flags,
              "Source files of one program: .cu, .cpp, .cc, .cxx and .c, any mix");
}

Status check_sources(const std::vector<std::string>& files) {
  for (size_t i = 1; i < files.size(); ++i)
    if (std::error_code ignored; !std::filesystem::exists(files[i], ignored))
      return Error{concat(files[i], ": no such file; the program's own arguments follow a --")};
  return Done{};
}

Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context) {
  if (!context.share) return context.share.error();
  if (Status there = check_sources(request.files); !there) return there.error();
  request.share = *context.share;
  Result<model::Program> program = frontend::read_program(request);
  if (!program) return program.error();
  AnalyzedProgram analyzed{*std::move(program), {}};
  analyzed.graph = model::build_comm_graph(analyzed.program);
  return analyzed;
}

}  // namespace cuco::cli
