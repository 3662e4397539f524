// From what a block has counted to how long it takes on a multiprocessor.
#pragma once

#include <array>
#include <cstdint>

#include "model/profile.h"
#include "vcluster/runtime/engine/clock.h"

namespace cuco::vcluster {

// As the compiler plugin numbers them; cuco's mma.h reports tensor operations. SharedBytes and GlobalBytes are a lane's
// share of the passes over the banks and of the sectors that its warp touches. PeerBytes are those that another device
// holds. HbmBytes are those of GlobalBytes that miss the L2: the runtime's estimate. SerialLoads are loads whose
// address the same load brought in an earlier round. AccessedBytes are those of all loads and stores, as host code
// makes them: one by one.
enum Cost : unsigned {
  FpOperations,
  IntegerOperations,
  SharedBytes,
  GlobalBytes,
  TensorOperations,
  PeerBytes,
  HbmBytes,
  SerialLoads,
  AccessedBytes,
  CostCount
};
using CostCounters = std::array<uint64_t, CostCount>;

// One number for how long the virtual cluster takes over them.
inline uint64_t operations_of(const CostCounters& counters) {
  return counters[FpOperations] + counters[IntegerOperations] + counters[TensorOperations] + counters[GlobalBytes] / 4;
}

// What an operation of a stream did: a kernel all of it, a collective the bytes.
struct Work {
  CostCounters counters = {};
  double inside_bytes = 0;   // Sent by this rank over the link inside its node.
  double between_bytes = 0;  // Sent over the link between nodes.
  Time block_time = 0;       // Of all its blocks, each as if it had a multiprocessor to itself.

  Work& operator+=(const Work& other);
};

// The time one multiprocessor needs for this much work when the block has it to itself: the slowest of its units,
// divided by how well real kernels use them.
Time time_of(const CostCounters& work, const model::GpuProfile& gpu);

// How long so many loads take that wait for each other, when the share `missing` of them goes to the HBM.
Time latency_of(uint64_t loads, double missing, const model::GpuProfile& gpu);

// Whether the work is that of moving bytes, sums of a reduction included: hardly an operation for each of them.
bool moves_bytes(const CostCounters& work);

// Which share of a kernel's accesses goes to the HBM. It touches `footprint` bytes and moves `moved` through the L2.
double missing_share(double footprint, double moved, const model::GpuProfile& gpu);

// What host code takes of its core: the slowest of operations and bytes.
Time host_time_of(const CostCounters& work, const model::HostProfile& host);

// Since the counters stood at `before`.
CostCounters counted_since(const CostCounters& before);

// The counters that the images add to, as they stand.
const CostCounters& cost_counters();
// For work that no image does.
void add_costs(const CostCounters& amounts);

}  // namespace cuco::vcluster
