// Steps from one plan to another inside the part of the space that can be reached.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "evolve/axes.h"
#include "evolve/proposers/plan_space.h"

namespace cuco::evolve {

// Another value on one axis, at one unit or at all that can follow. A directive that the value makes impossible in
// another dimension gives way there, as little as it can. Nothing: there is no other value.
std::optional<space::Plan> moved(PlanSpace& plan_space, const space::Plan& plan, Axis axis, bool everywhere,
                                 Random& random);

// All plans one such step away, one unit at a time, in the order of the axes.
std::vector<space::Plan> neighbours(PlanSpace& plan_space, const space::Plan& plan);

// Steps that refine a good plan, at all units at once: the nearest value of each axis in turn, then the next nearest.
// The way for the bytes and the placement come last: whoever climbs has chosen those.
std::vector<space::Plan> refinements(PlanSpace& plan_space, const space::Plan& plan);

// Any option at every unit, any schedule.
space::Plan sampled(PlanSpace& plan_space, Random& random);

}  // namespace cuco::evolve
