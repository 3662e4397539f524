// How far apart two points of the design space are. A metric: zero only for equals, symmetric, no shortcut through a
// third point.
#pragma once

#include "space/plan.h"

namespace cuco::space {

// One for every dimension that differs. Two chunk sizes differ by |log2 a - log2 b| / 16, at most one: 16 doublings are
// the length of the ladder. The whole message is at distance one from any size, since its size is the site's.
double distance(const Directive& a, const Directive& b);

// Sum over the sites, plus one for each value of the schedule that differs. A site that only one plan has counts as
// different in every dimension.
double distance(const Plan& a, const Plan& b);

}  // namespace cuco::space
