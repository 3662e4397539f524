// The speed of light of a program on a profile: what no order or placement of the same blocks and messages can beat on
// this clock. On every rank the time of all blocks spread evenly over all multiprocessors, and the bytes on every link
// at its full bandwidth, each as if the others took no time; the largest of these is the bound.
//
// A block counts with its own busiest unit, not the units with the sums of all blocks: blocks that share a
// multiprocessor take turns on this clock, so one that waits for memory does not make room for one that computes.
// Blocks of kernels that communicate count by the bytes they move alone.
#pragma once

#include <vector>

#include "model/profile.h"
#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/timing/costs.h"

namespace cuco::vcluster {

struct Bound {
  Time compute = 0;
  Time communication = 0;

  Time limit() const { return compute > communication ? compute : communication; }
};

// `work_of_rank`: what each rank does between the start and the end of what is timed.
Bound bound_of(const std::vector<Work>& work_of_rank, const model::HardwareProfile& profile);

}  // namespace cuco::vcluster
