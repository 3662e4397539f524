// The options of every command that reads a program, and the reading.
#pragma once

#include "cli/command.h"
#include "frontend/frontend.h"
#include "model/comm_graph.h"
#include "model/program.h"

namespace cuco::cli {

// What a compiler takes and CLI11 does not: "-std=c++20", "-isystem DIR", "-include FILE" as long options.
std::vector<std::string> with_long_options(const std::vector<std::string>& arguments);

void add_program_options(CLI::App& command, frontend::ParseRequest& request);
// Its files, as `what` calls them, and how they are compiled, as a compiler is told or as a compile_commands.json has it.
void add_sources(CLI::App& command, std::vector<std::string>& files, model::BuildFlags& flags, const std::string& what);

// That the files after the first are there: one that is not may be an argument that was meant for the program.
Status check_sources(const std::vector<std::string>& files);

struct AnalyzedProgram {
  model::Program program;
  model::CommGraph graph;
};

// `share` is taken from the context, whatever the request says.
Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context);

}  // namespace cuco::cli
