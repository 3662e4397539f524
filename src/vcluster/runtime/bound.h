// The speed of light of a program on a profile: what no schedule of the same work can beat. On every rank the work of
// all kernels spread evenly over all multiprocessors, and the bytes on every link at its full bandwidth, each as if the
// others took no time; the largest of these is the bound.
#pragma once

#include <vector>

#include "model/profile.h"
#include "vcluster/runtime/clock.h"
#include "vcluster/runtime/costs.h"

namespace cuco::vcluster {

struct Bound {
  Time compute = 0;
  Time communication = 0;

  Time limit() const { return compute > communication ? compute : communication; }
};

// `work_of_rank`: what each rank does between the start and the end of what is timed.
Bound bound_of(const std::vector<Work>& work_of_rank, const model::HardwareProfile& profile);

}  // namespace cuco::vcluster
