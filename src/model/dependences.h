// Dependences between steps, and what they say about operations.
//
// Only the nearest ones are kept: a pair that other dependences on the same buffer already join, through work that runs
// whenever one of the two does, is left out. A kernel's write does not hide earlier writes of other bytes, because a
// write that only perhaps meets another is no path for a certain pair.
#pragma once

#include <vector>

#include "model/comm_graph.h"
#include "model/ordering.h"

namespace cuco::model {

struct StepDependence {
  Index from = kNone;  // Steps; from comes first in host order.
  Index to = kNone;
  Index buffer = kNone;
  DependenceKind kind{};
  bool assumed = false;
};

// By buffer, then by `to`.
std::vector<StepDependence> find_step_dependences(const Program& program, const std::vector<Index>& exchanges);

// One per (from, to, buffer, kind, carried), in that order. Assumed when every instance is; ordered when every instance
// is, those that are assumed left out where there are others.
std::vector<Dependence> summarise(const Program& program, const std::vector<StepDependence>& steps,
                                  const StepOrder& order);

}  // namespace cuco::model
