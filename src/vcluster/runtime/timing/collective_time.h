// How long a host collective takes from the moment its last rank has come, and the bytes that each rank sends for it.
// Reductions and broadcasts go around a ring or up and down a tree, whichever is faster; gathers and scatters go around
// the ring; all-to-all goes straight from rank to rank. A node has as many rings, and as many ways out, as ranks.
#pragma once

#include "model/collectives.h"
#include "model/profile.h"
#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/timing/costs.h"

namespace cuco::vcluster {

struct CollectiveShape {
  model::Collective collective{};
  double bytes = 0;  // count * size of the type, as the call gives it.
  int ranks = 1;
  int ranks_per_node = 1;
};

// The counters stay zero.
Work traffic_of(const CollectiveShape& shape);

// `base` is the time of a collective of no bytes between two ranks.
Time collective_time(const CollectiveShape& shape, const model::Topology& topology, Time base);

}  // namespace cuco::vcluster
