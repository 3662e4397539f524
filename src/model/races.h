// Says what a missing order between two pieces of work means and what would create it.
#pragma once

#include <vector>

#include "model/comm_graph.h"

namespace cuco::model {

// A warning for each pair of operations with a dependence that is certain and that nothing orders.
std::vector<Diagnostic> describe_races(const Program& program, const std::vector<Dependence>& dependences);

}  // namespace cuco::model
