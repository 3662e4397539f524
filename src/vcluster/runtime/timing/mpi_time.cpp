#include "vcluster/runtime/timing/mpi_time.h"

#include <algorithm>
#include <map>
#include <optional>

#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/timing/collective_time.h"

namespace cuco::vcluster {

namespace {

Process& process_of(int rank) { return *world->processes[static_cast<size_t>(rank)]; }

Time copied_by_core(int rank, double bytes) {
  auto time = static_cast<Time>(bytes / (world->options.profile.host.gb_per_s * 1e9) * 1e12);
  return time > 0 ? world->occupy_core(process_of(rank), time) : world->now();
}

Time sent_between_nodes(int rank, double bytes) {
  const std::optional<model::Link>& link = world->options.profile.topology.between;
  if (!link || bytes == 0) return world->now();
  return world->devices[static_cast<size_t>(rank)]->between.pass(world->now(), *link, bytes).end;
}

// The collective of NCCL whose bytes go the same way, if there is one.
std::optional<model::Collective> same_way_as(const std::string& name) {
  using enum model::Collective;
  static const std::map<std::string, model::Collective> same = {
      {"MPI_Bcast", Broadcast},      {"MPI_Reduce", Reduce},     {"MPI_Allreduce", AllReduce},
      {"MPI_Scan", Reduce},          {"MPI_Exscan", Reduce},     {"MPI_Gather", Gather},
      {"MPI_Gatherv", Gather},       {"MPI_Scatter", Scatter},   {"MPI_Allgather", AllGather},
      {"MPI_Allgatherv", AllGather}, {"MPI_Alltoall", AlltoAll},
  };
  auto found = same.find(name);
  return found == same.end() ? std::nullopt : std::optional(found->second);
}

size_t most(const std::vector<size_t>& counts) { return counts.empty() ? 0 : *std::ranges::max_element(counts); }

// To or from one peer, or of the whole vector of a reduction.
size_t bytes_of(const MpiPart& part) {
  size_t reduced = part.type ? static_cast<size_t>(part.count) * mpi_size_of(part.type) : 0;
  return std::max({part.send_bytes, part.receive_bytes, most(part.send_counts), most(part.receive_counts), reduced});
}

CollectiveShape shape_of(model::Collective collective, const MpiCollective& meeting, const std::vector<int>& members) {
  CollectiveShape shape{collective, 0, static_cast<int>(members.size()), 1};
  std::map<int, int> on_node;
  for (int rank : members) shape.ranks_per_node = std::max(shape.ranks_per_node, ++on_node[process_of(rank).node]);
  for (const MpiPart& part : meeting.parts) shape.bytes = std::max(shape.bytes, static_cast<double>(bytes_of(part)));
  return shape;
}

}  // namespace

Time mpi_arrival(int from, int to, size_t bytes) {
  auto amount = static_cast<double>(bytes);
  bool inside = process_of(from).node == process_of(to).node;
  return inside ? copied_by_core(to, amount) : sent_between_nodes(from, amount);
}

Time mpi_collective_end(const MpiCollective& meeting, const std::vector<int>& members) {
  std::optional<model::Collective> collective = same_way_as(meeting.name);
  Time end = world->now();
  if (!collective) return end;
  Work traffic = traffic_of(shape_of(*collective, meeting, members));
  for (int rank : members)
    end = std::max({end, copied_by_core(rank, traffic.inside_bytes), sent_between_nodes(rank, traffic.between_bytes)});
  return end;
}

}  // namespace cuco::vcluster
