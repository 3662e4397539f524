// The options of every command that reads a program, and the reading.
#pragma once

#include "cli/command.h"
#include "frontend/frontend.h"
#include "model/comm_graph.h"
#include "model/program.h"

namespace cuco::cli {

void add_program_options(CLI::App& command, frontend::ParseRequest& request);

struct AnalyzedProgram {
  model::Program program;
  model::CommGraph graph;
};

// `share` is taken from the context, whatever the request says.
Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context);

}  // namespace cuco::cli
