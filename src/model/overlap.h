// Which work of the timed region a communication call could run beside.
#pragma once

#include <vector>

#include "model/comm_graph.h"
#include "model/dependences.h"

namespace cuco::model {

// Work counts as independent of a site when no chain of dependences joins it with any part of the site's exchange, in
// either direction. It must be so for every instance of the site, with some instance of the work in the same iteration
// of the loops around both, or else in a neighbouring one. In order of operations.
void find_overlaps(const Program& program, const std::vector<Index>& exchanges,
                   const std::vector<StepDependence>& dependences, std::vector<Site>& sites);

}  // namespace cuco::model
