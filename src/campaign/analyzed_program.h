// A program, read and with its communication graph.
#pragma once

#include <string>
#include <vector>

#include "campaign/context.h"
#include "frontend/frontend.h"
#include "model/comm_graph.h"
#include "model/program.h"

namespace cuco::campaign {

struct AnalyzedProgram {
  model::Program program;
  model::CommGraph graph;
};

// That the files after the first are there and are others: one that is not there may be an argument that was meant for
// the program.
Status check_sources(const std::vector<std::string>& files);

// `share` is taken from the context, whatever the request says.
Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context);

}  // namespace cuco::campaign
