// What somebody who knows the hardware would try first, from facts about the program alone: communication beside
// compute, messages in parts, more CTAs, another order, another way for the bytes, single calls left to the host.
#pragma once

#include <string>
#include <vector>

#include "evolve/axes.h"
#include "evolve/proposers/plan_space.h"

namespace cuco::evolve {

struct Idea {
  space::Plan plan;
  Axis axis = Axis::Placement;  // What it is about.
  std::string reason;           // Ends the sentence "... because ".
};

// In the order in which they should be tried when nothing is known; each plan once. Not all of them can be written.
std::vector<Idea> expert_ideas(PlanSpace& plan_space);

}  // namespace cuco::evolve
