// The analysis as a person reads it.
#pragma once

#include <string>

#include "model/comm_graph.h"

namespace cuco::model {

// At most 100 columns unless a name alone is longer; ends with a newline. Colour means ANSI escapes.
std::string report_text(const Program& program, const CommGraph& graph, bool colour);

}  // namespace cuco::model
