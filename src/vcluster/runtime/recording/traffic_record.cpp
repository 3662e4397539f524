#include "vcluster/runtime/recording/traffic_record.h"

#include <algorithm>

#include "vcluster/runtime/api/mpi/objects.h"
#include "vcluster/runtime/api/nccl/objects.h"
#include "vcluster/runtime/checkers/collective_races.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/plain_loop.h"

namespace cuco::vcluster {

namespace {

using model::Carrier;

// Before a harness calls its region, and behind it, is set-up.
bool counts_now() { return !world->options.harness.expected || harness().has_begun(); }

// Places of calls come with " at " before them.
std::string bare(const std::string& place) { return place.starts_with(" at ") ? place.substr(4) : place; }

int device_rank(const CollectiveCall& call) { return call.comm->device().rank; }

uint64_t bytes_of(const CollectiveCall& call) { return call.count * nccl_size_of(call.type); }

bool root_sends(const std::string& name) { return name == "MPI_Bcast" || name == "MPI_Scatter"; }
bool root_receives(const std::string& name) {
  return name == "MPI_Reduce" || name == "MPI_Gather" || name == "MPI_Gatherv";
}

// What rank `from` gives rank `to` in a collective of MPI; with MPI_IN_PLACE it lies in the receive buffer.
uint64_t mpi_bytes(const MpiCollective& meeting, size_t from, size_t to) {
  const MpiPart& part = meeting.parts[from];
  if (root_sends(meeting.name) && static_cast<int>(from) != part.root) return 0;
  if (root_receives(meeting.name) && static_cast<int>(to) != part.root) return 0;
  if (!part.send_counts.empty()) return part.send_counts[to];
  if (part.type) return static_cast<uint64_t>(part.count) * mpi_size_of(part.type);
  return part.send == MPI_IN_PLACE ? part.receive_bytes : part.send_bytes;
}

}  // namespace

TrafficRecord& traffic_record() {
  static TrafficRecord run;
  return run;
}

void KernelTraffic::end(const std::string& kernel, const std::string& place) {
  for (const auto& [key, bytes] : moved_) {
    auto [from, to, carrier] = key;
    traffic_record().add({from, to, carrier, kernel, place, bytes});
  }
}

void TrafficRecord::add(model::Transfer transfer) {
  if (transfer.from == transfer.to || transfer.bytes == 0 || !counts_now()) return;
  Key key{transfer.carrier, std::move(transfer.what), bare(transfer.place), transfer.from, transfer.to};
  moments_[std::move(key)].push_back({world->now(), transfer.bytes});
}

void TrafficRecord::add_copy(const void* target, const void* source, size_t bytes, const std::string& place) {
  int to = device_of(reinterpret_cast<uintptr_t>(target)), from = device_of(reinterpret_cast<uintptr_t>(source));
  if (to >= 0 && from >= 0) add({from, to, Carrier::Copy, "a copy", place, bytes});
}

void TrafficRecord::add_collective(const std::vector<CollectiveCall>& calls) {
  for (size_t to = 0; to < calls.size(); to++)
    for (size_t from = 0; from < calls.size(); from++)
      if (model::hears(calls[to].collective, static_cast<int>(to), static_cast<int>(from), calls[to].root))
        add({device_rank(calls[from]), device_rank(calls[to]), Carrier::Host,
             std::string(model::callee_of(calls[to].collective)), calls[to].place, bytes_of(calls[to])});
}

void TrafficRecord::add_message(const CollectiveCall& send, const CollectiveCall& receive) {
  add({device_rank(send), device_rank(receive), Carrier::Host, std::string(model::callee_of(send.collective)),
       send.place, bytes_of(send)});
}

void TrafficRecord::add_mpi(const MpiCollective& meeting, const std::vector<int>& members) {
  for (size_t from = 0; from < members.size(); from++)
    for (size_t to = 0; to < members.size(); to++)
      add({members[from], members[to], Carrier::Mpi, meeting.name, host_place(), mpi_bytes(meeting, from, to)});
}

model::Traffic TrafficRecord::in_region() const {
  bool is_loop = plain_loop().runs();
  uint32_t calls = is_loop ? plain_loop().call_count() : harness().call_count();
  model::Traffic traffic{std::max<uint32_t>(calls, 1), {}};
  for (const auto& [key, moments] : moments_) {
    const auto& [carrier, what, place, from, to] = key;
    uint64_t bytes = 0;
    for (const Moment& moment : moments)
      if (world->options.harness.expected ||
          (is_loop ? plain_loop().is_in(from, moment.at) : world->timeline.is_in_region(from, moment.at)))
        bytes += moment.bytes;
    if (bytes > 0) traffic.transfers.push_back({from, to, carrier, what, place, bytes});
  }
  return traffic;
}

}  // namespace cuco::vcluster
