#include "vcluster/runtime/collective_time.h"

#include <algorithm>
#include <cmath>

#include "vcluster/runtime/links.h"

namespace cuco::vcluster {

namespace {

bool is_pairwise(const std::string& name) {
  return name == "ncclAlltoAll" || name == "ncclGather" || name == "ncclScatter";
}

bool reduces_and_spreads(const std::string& name) { return name == "ncclAllReduce"; }

bool may_use_tree(const std::string& name) {
  return name == "ncclAllReduce" || name == "ncclBroadcast" || name == "ncclReduce";
}

// Bytes that one rank passes on around the ring.
double ring_bytes(const CollectiveShape& shape) {
  double n = shape.ranks;
  if (reduces_and_spreads(shape.name)) return 2 * shape.bytes * (n - 1) / n;
  if (may_use_tree(shape.name)) return shape.bytes;
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
  if (is_pairwise(shape.name) || shape.ranks <= 2) return 0;
  double rounds = reduces_and_spreads(shape.name) ? 2 : 1;
  double ring = rounds * (shape.ranks - 2);
  double tree = rounds * (std::ceil(std::log2(shape.ranks)) - 1);
  return may_use_tree(shape.name) ? std::min(ring, tree) : ring;
}

Time time_on_wire(const Work& work, const model::Topology& topology) {
  Time inside = topology.inside ? wire_time(*topology.inside, work.inside_bytes) : 0;
  Time between = topology.between ? wire_time(*topology.between, work.between_bytes) : 0;
  return std::max(inside, between);
}

}  // namespace

Work traffic_of(const CollectiveShape& shape) {
  if (shape.ranks < 2) return {};
  if (is_pairwise(shape.name)) return pairwise_traffic(shape);
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
