// Collects the communication calls of a program into sites.
#pragma once

#include <vector>

#include "model/comm_graph.h"

namespace cuco::model {

// Needs program.timed_region. One site per call in the source, in order of first execution, with everything but its
// overlaps; `dependences` are those the sites' producers and consumers refer to.
std::vector<Site> find_sites(const Program& program, const std::vector<Dependence>& dependences);

}  // namespace cuco::model
