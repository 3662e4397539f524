#include "vcluster/runtime/timing/collective_time.h"

#include <algorithm>
#include <cmath>

#include "vcluster/runtime/timing/links.h"

namespace cuco::vcluster {

namespace {

using model::Collective;
using model::Pattern;

Pattern pattern_of(const CollectiveShape& shape) { return model::traits_of(shape.collective).pattern; }

// It goes around the ring twice: once to reduce, once to spread the result.
bool reduces_and_spreads(const CollectiveShape& shape) { return shape.collective == Collective::AllReduce; }

// Bytes that one rank passes on around the ring.
double ring_bytes(const CollectiveShape& shape) {
  double n = shape.ranks;
  if (reduces_and_spreads(shape)) return 2 * shape.bytes * (n - 1) / n;
  if (pattern_of(shape) == Pattern::RingOrTree) return shape.bytes;
  return shape.bytes * (n - 1);
}

Work pairwise_traffic(const CollectiveShape& shape) {
  Work work;
  work.inside_bytes = shape.bytes * (shape.ranks_per_node - 1);
  work.between_bytes = shape.bytes * (shape.ranks - shape.ranks_per_node);
  return work;
}

Time hop(const CollectiveShape& shape, const model::Topology& topology) {
  const auto& link = shape.ranks > shape.ranks_per_node && topology.between ? topology.between : topology.inside;
  return link ? from_us(link->latency_us) : 0;
}

// Hops beyond those that two ranks need, which are in the base.
double extra_hops(const CollectiveShape& shape) {
  if (pattern_of(shape) == Pattern::Pairs || shape.ranks <= 2) return 0;
  double rounds = reduces_and_spreads(shape) ? 2 : 1;
  double ring = rounds * (shape.ranks - 2);
  double tree = rounds * (std::ceil(std::log2(shape.ranks)) - 1);
  return pattern_of(shape) == Pattern::RingOrTree ? std::min(ring, tree) : ring;
}

Time time_on_wire(const Work& work, const model::Topology& topology) {
  Time inside = topology.inside ? wire_time(*topology.inside, work.inside_bytes) : 0;
  Time between = topology.between ? wire_time(*topology.between, work.between_bytes) : 0;
  return std::max(inside, between);
}

}  // namespace

Work traffic_of(const CollectiveShape& shape) {
  if (shape.ranks < 2) return {};
  if (pattern_of(shape) == Pattern::Pairs) return pairwise_traffic(shape);
  Work work;
  if (shape.ranks_per_node > 1) work.inside_bytes = ring_bytes(shape);
  if (shape.ranks > shape.ranks_per_node) work.between_bytes = ring_bytes(shape) / shape.ranks_per_node;
  return work;
}

Time collective_time(const CollectiveShape& shape, const model::Topology& topology, Time base) {
  auto hops = static_cast<Time>(extra_hops(shape) * static_cast<double>(hop(shape, topology)));
  return base + hops + time_on_wire(traffic_of(shape), topology);
}

}  // namespace cuco::vcluster
