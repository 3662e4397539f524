// Whether the iterations of a loop may change places.
//
// They may when none reads what another one wrote, when what they overwrite of each other is scratch that each fills
// before it reads it and that nobody reads afterwards, and when no call in the loop meets other ranks in an order that
// all must keep. What the host computes from one iteration to the next is not known here: that is a question to the
// text.
#pragma once

#include <string>
#include <vector>

#include "model/dependences.h"

namespace cuco::model {

// Counts from zero by one to a communicator's number of ranks.
bool runs_over_ranks(const Program& program, const Loop& loop);

struct IterationOrder {
  std::vector<std::string> objections;  // One sentence each; empty when the iterations may change places.
  bool assumed = false;                 // Holds if kernels stay inside the slice their pointer begins at.
};

IterationOrder find_iteration_order(const Program& program, const std::vector<StepDependence>& dependences, Index loop);

}  // namespace cuco::model
