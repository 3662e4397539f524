// How long MPI's bytes are on their way, from host or device memory alike. Inside a node they are copied by the
// receiver's core; between nodes they share the sender's link with whatever else its device sends.
#pragma once

#include "vcluster/runtime/api/mpi/objects.h"
#include "vcluster/runtime/engine/clock.h"

namespace cuco::vcluster {

constexpr Time kMpiHop = 2 * kMicrosecond;  // Estimate: a message of no bytes between two processes.

// When a message that begins to move now is there, without the hop. Ranks are those of the world.
Time mpi_arrival(int from, int to, size_t bytes);

// When the last rank's bytes of a collective are, after they begin to move now.
Time mpi_collective_end(const MpiCollective& meeting, const std::vector<int>& members);

}  // namespace cuco::vcluster
