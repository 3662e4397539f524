// From what a block has counted to how long it takes on a multiprocessor.
#pragma once

#include <array>
#include <cstdint>

#include "model/profile.h"
#include "vcluster/runtime/clock.h"

namespace cuco::vcluster {

// As the compiler plugin numbers them, and tensor operations, which cuco's mma.h reports.
enum Cost : unsigned { FpOperations, IntegerOperations, SharedBytes, GlobalBytes, TensorOperations, CostCount };
using CostCounters = std::array<uint64_t, 8>;

// The time one multiprocessor needs for this much work when the block has it to itself: the slowest of its units,
// divided by how well real kernels use them. Left out: coalescing, the HBM/L2 split, occupancy by registers, latency.
Time time_of(const CostCounters& work, const model::GpuProfile& gpu);

// The counters that the images add to, as they stand.
const CostCounters& cost_counters();

}  // namespace cuco::vcluster
