// A program, read and with its communication graph.
#pragma once

#include "campaign/context.h"
#include "frontend/frontend.h"
#include "model/comm_graph.h"
#include "model/program.h"

namespace cuco::campaign {

struct AnalyzedProgram {
  model::Program program;
  model::CommGraph graph;
};

// `share` is taken from the context, whatever the request says.
Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context);

}  // namespace cuco::campaign
