// The dependence graph for Graphviz.
#pragma once

#include <string>

#include "model/comm_graph.h"

namespace cuco::model {

// One node per operation that touches buffers, sites highlighted; edges carry the buffer's name, dashed when carried
// into a later iteration, with a question mark and dotted when assumed, red when nothing orders them.
std::string to_dot(const Program& program, const CommGraph& graph);

}  // namespace cuco::model
