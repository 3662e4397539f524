// From what a block has counted to how long it takes on a multiprocessor.
#pragma once

#include <array>
#include <cstdint>

#include "model/profile.h"
#include "vcluster/runtime/clock.h"

namespace cuco::vcluster {

// As the compiler plugin numbers them; cuco's mma.h reports tensor operations. PeerBytes are those of GlobalBytes that
// another device holds.
enum Cost : unsigned {
  FpOperations,
  IntegerOperations,
  SharedBytes,
  GlobalBytes,
  TensorOperations,
  PeerBytes,
  CostCount
};
using CostCounters = std::array<uint64_t, 8>;

// What an operation of a stream did: a kernel all of it, a collective the bytes.
struct Work {
  CostCounters counters = {};
  double inside_bytes = 0;   // Sent by this rank over the link inside its node.
  double between_bytes = 0;  // Sent over the link between nodes.

  Work& operator+=(const Work& other);
};

// The time one multiprocessor needs for this much work when the block has it to itself: the slowest of its units,
// divided by how well real kernels use them. Left out: coalescing, the HBM/L2 split, occupancy by registers, latency.
Time time_of(const CostCounters& work, const model::GpuProfile& gpu);

// The counters that the images add to, as they stand.
const CostCounters& cost_counters();

}  // namespace cuco::vcluster
