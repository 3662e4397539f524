#include "vcluster/runtime/timing/bound.h"

#include <algorithm>

#include "vcluster/runtime/timing/links.h"

namespace cuco::vcluster {

Bound bound_of(const std::vector<Work>& work_of_rank, const model::HardwareProfile& profile) {
  const model::Topology& topology = profile.topology;
  Bound bound;
  for (const Work& work : work_of_rank) {
    Time compute = work.block_time / std::max<Time>(profile.gpu.sm_count, 1);
    Time inside = topology.inside ? wire_time(*topology.inside, work.inside_bytes) : 0;
    Time between = topology.between ? wire_time(*topology.between, work.between_bytes) : 0;
    bound.compute = std::max(bound.compute, compute);
    bound.communication = std::max({bound.communication, inside, between});
  }
  return bound;
}

}  // namespace cuco::vcluster
