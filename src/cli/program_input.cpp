#include "cli/program_input.h"

#include <CLI/CLI.hpp>

namespace cuco::cli {

void add_program_options(CLI::App& command, frontend::ParseRequest& request) {
  command.add_option("PROGRAM", request.files, "Source files of one program: .cu, and .cpp with its host code")
      ->required()
      ->type_name("FILE");
  command.add_option("-I", request.include_folders, "Look for included files there too; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_option("-D", request.definitions, "Define a macro, as for a compiler; may be repeated")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command.add_option("--std", request.standard, "Language standard of the program")
      ->type_name("STANDARD")
      ->capture_default_str();
}

Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context) {
  if (!context.share) return context.share.error();
  request.share = *context.share;
  Result<model::Program> program = frontend::read_program(request);
  if (!program) return program.error();
  AnalyzedProgram analyzed{*std::move(program), {}};
  analyzed.graph = model::build_comm_graph(analyzed.program);
  return analyzed;
}

}  // namespace cuco::cli
