// The whole model and graph as JSON. docs/analyze_json.md describes every key.
#pragma once

#include <string>

#include "model/comm_graph.h"

namespace cuco::model {

// Equal models give equal bytes. References between lists are indices; null stands for none.
std::string to_json(const Program& program, const CommGraph& graph);

}  // namespace cuco::model
