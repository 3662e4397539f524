// NCCL's device side: puts, signals, counters and barriers as kernels call them. A put reads its source when the link
// gets to it and lands at its arrival time; a signal is never visible before the earlier puts of its context to that
// peer. Within that, the seed picks the delays.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/checkers/source_reuse.h"
#include "vcluster/runtime/device_comm.h"
#include "vcluster/runtime/pollers.h"

namespace cuco::vcluster {

bool WaitedValue::reached(uint64_t least, uint64_t value, int bits) {
  uint64_t mask = ~uint64_t{0} >> (64 - bits);
  return ((value - least) & mask) <= (mask >> 1);
}

void WaitedValue::add(uint64_t amount) {
  value += amount;
  world->note_progress();
  std::erase_if(waiting, [&](const Waiter& waiter) {
    if (!reached(waiter.least, value, waiter.bits)) return false;
    waiter.who.block->make_ready(waiter.who.thread, world->now());
    return true;
  });
}

namespace {

// As nccl_device/gin.h lays it out.
struct GinRequest {
  const ncclDevComm* comm;
  int context, peer;
  ncclWindow_t target_window, source_window;
  size_t target_offset, source_offset, bytes;
  uint64_t value;
  int signal_kind;
  uint32_t signal;
  uint64_t signal_value;
  int has_counter;
  uint32_t counter;
};

constexpr Time kDelayMax = 30 * kMicrosecond;  // That a seed may add to a put.

DevCommRank& rank_of(const ncclDevComm* comm) { return *static_cast<DevCommRank*>(comm->owner); }

[[noreturn]] void misuse(const std::string& kind, int rank, const std::string& text) {
  world->add_finding(kind, rank, concat(describe_running_thread(), ": ", text));
  world->end_run("fault", 1);
}

WaitedValue& checked(std::vector<WaitedValue>& values, uint32_t index, const char* what, int rank) {
  if (index >= values.size())
    misuse("signal_accounting", rank,
           concat(what, " ", index, " is used, but the device communicator has ", values.size()));
  return values[index];
}

const model::Link* link_between(const Device& a, const Device& b) {
  const model::Topology& topology = world->options.profile.topology;
  if (a.node != b.node && topology.between) return &*topology.between;
  return topology.inside ? &*topology.inside : nullptr;
}

Time drawn_delay() {
  return world->options.seed == 0 ? 0 : static_cast<Time>(world->random.below(static_cast<uint64_t>(kDelayMax)));
}

struct Schedule {
  Time source_read, arrival;
};

// The link sends one message after the other; each then travels for the latency.
Schedule schedule(DevCommRank& from, const DevCommRank& to, size_t bytes) {
  const model::Link* link = link_between(*from.device, *to.device);
  Time latency = link ? from_us(link->latency_us) : kMicrosecond;
  Time sending = link ? static_cast<Time>(static_cast<double>(bytes) / (link->gb_per_s * 1e9) * 1e12) : 0;
  Time begin = std::max(world->now(), from.nic_free);
  from.nic_free = begin + sending;
  Time read = from.nic_free + drawn_delay();
  return {read, read + latency + drawn_delay()};
}

void check_bounds(const GinRequest& request, int rank) {
  if (request.bytes == 0) return;
  auto* target = static_cast<WindowGroup*>(request.target_window->winHost);
  size_t room = target->bytes_of_rank[static_cast<size_t>(request.peer)];
  if (request.target_offset + request.bytes > room)
    misuse("memory_access", rank,
           concat("a put of ", request.bytes, " bytes at offset ", request.target_offset, " leaves the window of ",
                  room, " bytes on rank ", request.peer));
  if (request.source_window && request.source_offset + request.bytes > request.source_window->bytes)
    misuse("memory_access", rank,
           concat("a put of ", request.bytes, " bytes from offset ", request.source_offset, " leaves its window of ",
                  request.source_window->bytes, " bytes"));
}

// The payload, read when the link gets to it.
void send_payload(const GinRequest& request, DevCommRank& from, const Schedule& when) {
  char* target = request.target_window->baseOfRank[request.peer] + request.target_offset;
  auto payload = std::make_shared<std::vector<char>>(request.bytes);
  if (!request.source_window) {
    std::memcpy(payload->data(), &request.value, request.bytes);
  } else {
    const char* source = request.source_window->baseOfRank[from.rank] + request.source_offset;
    auto guard = std::make_shared<SourceGuard>(source, request.bytes, from.rank);
    world->events.at(when.source_read, [payload, guard] { *payload = guard->read(); });
  }
  world->events.at(when.arrival, [payload, target] {
    std::memcpy(target, payload->data(), payload->size());
    world->note_progress();
  });
}

void post(const GinRequest& request) {
  DevCommRank& from = rank_of(request.comm);
  if (request.peer < 0 || static_cast<size_t>(request.peer) >= from.shared->ranks.size())
    misuse("memory_access", from.rank, concat("a put to rank ", request.peer, " of ", from.shared->ranks.size()));
  DevCommRank& to = *from.shared->ranks[static_cast<size_t>(request.peer)];
  auto context = static_cast<size_t>(request.context);
  check_bounds(request, from.rank);
  Schedule when = schedule(from, to, request.bytes);
  GinContext& mine = from.contexts[context];
  mine.sources_read = std::max(mine.sources_read, when.source_read);
  if (request.bytes > 0) send_payload(request, from, when);
  Time& last = mine.last_arrival[static_cast<size_t>(request.peer)];
  last = std::max(last, when.arrival);
  if (request.signal_kind != 0) {
    WaitedValue* signal = &checked(to.contexts[context].signals, request.signal, "signal", from.rank);
    uint64_t amount = request.signal_value;
    bool increments = request.signal_kind == 1 || request.signal_kind == 3;
    bool is_weak = request.signal_kind >= 3;
    signal->ledger.on_post(increments ? SignalLedger::Action::Increment : SignalLedger::Action::Add, to.rank,
                           request.signal);
    world->events.at(is_weak ? when.arrival : last, [signal, amount] {
      signal->ledger.on_arrival();
      signal->add(amount);
    });
  }
  if (request.has_counter) {
    WaitedValue* counter = &checked(mine.counters, request.counter, "counter", from.rank);
    world->events.at(when.source_read, [counter] { counter->add(1); });
  }
}

uint64_t wait_until(WaitedValue& value, WaitKind kind, uint32_t index, uint64_t least, int bits) {
  current_block->catch_up();
  value.ledger.on_wait(least);
  while (!WaitedValue::reached(least, value.value, bits)) {
    value.waiting.push_back({{current_block, current_thread->index}, least, bits});
    current_block->suspend({kind, index, least, value.value});
  }
  return value.value;
}

// World ranks of a team that contains the caller.
std::vector<int> members_of(const ncclDevComm& comm, ncclTeam team) {
  std::vector<int> members;
  for (int i = 0; i < team.nRanks; i++) members.push_back(comm.rank + (i - team.rank) * team.stride);
  return members;
}

TeamBarrier& barrier_of(const ncclDevComm* comm, int kind, ncclTeam team, uint32_t identity, int count,
                        uint32_t index) {
  DevCommRank& self = rank_of(comm);
  if (index >= static_cast<uint32_t>(std::max(count, 0)))
    misuse("barrier_misuse", self.rank,
           concat(kind == 0 ? "LSA" : "GIN", " barrier ", index, " is used, but ", count, " were asked for"));
  std::vector<int> members = members_of(*comm, team);
  return self.shared->barriers[concat(kind, "/", identity, "/", index, "/", members.front(), "/", team.stride)];
}

bool all_arrived(const TeamBarrier& barrier, const TeamBarrier::Waiter& waiter) {
  for (int peer : waiter.team) {
    if (peer == waiter.rank) continue;
    auto seen = barrier.seen.find({waiter.rank, peer});
    if (seen == barrier.seen.end() || seen->second < waiter.epoch) return false;
  }
  return true;
}

void wake_arrived(TeamBarrier& barrier) {
  std::erase_if(barrier.waiting, [&](const TeamBarrier::Waiter& waiter) {
    if (!all_arrived(barrier, waiter)) return false;
    waiter.who.block->make_ready(waiter.who.thread, world->now());
    return true;
  });
}

Time hop_time(const DevCommRank& from, const DevCommRank& to, int kind) {
  const model::Link* link = kind == 1 ? link_between(*from.device, *to.device) : nullptr;
  return (link ? from_us(link->latency_us) : world->costs.flag_hop) + drawn_delay() / 8;
}

}  // namespace

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

extern "C" {

void cuco_gin_post(const GinRequest* request) {
  current_block->catch_up();
  post(*request);
}

void cuco_gin_flush(const ncclDevComm* comm, int context) {
  current_block->catch_up();
  Time until = rank_of(comm).contexts[static_cast<size_t>(context)].sources_read;
  if (until <= world->now()) return;
  // A source read at this very instant comes first: it was queued before.
  current_block->make_ready(current_thread->index, until);
  current_block->suspend({WaitKind::Flush, 0, 0, 0});
}

uint64_t cuco_gin_read_signal(const ncclDevComm* comm, int context, uint32_t signal) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(self.contexts[static_cast<size_t>(context)].signals, signal, "signal", self.rank);
  value.ledger.on_read();
  pollers().look(&value.value, value.value, 8);
  return value.value;
}
uint64_t cuco_gin_read_counter(const ncclDevComm* comm, int context, uint32_t counter) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(self.contexts[static_cast<size_t>(context)].counters, counter, "counter", self.rank);
  pollers().look(&value.value, value.value, 8);
  return value.value;
}
uint64_t cuco_gin_wait_signal(const ncclDevComm* comm, int context, uint32_t signal, uint64_t least, int bits) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(self.contexts[static_cast<size_t>(context)].signals, signal, "signal", self.rank);
  return wait_until(value, WaitKind::Signal, signal, least, bits);
}
uint64_t cuco_gin_wait_counter(const ncclDevComm* comm, int context, uint32_t counter, uint64_t least, int bits) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(self.contexts[static_cast<size_t>(context)].counters, counter, "counter", self.rank);
  return wait_until(value, WaitKind::Counter, counter, least, bits);
}
void cuco_gin_reset_signal(const ncclDevComm* comm, int context, uint32_t signal) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(self.contexts[static_cast<size_t>(context)].signals, signal, "signal", self.rank);
  value.ledger.on_reset(self.rank, signal);
  value.value = 0;
}
void cuco_gin_reset_counter(const ncclDevComm* comm, int context, uint32_t counter) {
  DevCommRank& self = rank_of(comm);
  checked(self.contexts[static_cast<size_t>(context)].counters, counter, "counter", self.rank).value = 0;
}

void cuco_team_barrier_arrive(const ncclDevComm* comm, int kind, ncclTeam team, uint32_t identity, int count,
                              uint32_t index) {
  current_block->catch_up();
  TeamBarrier* barrier = &barrier_of(comm, kind, team, identity, count, index);
  DevCommRank& self = rank_of(comm);
  uint64_t epoch = ++barrier->arrivals[self.rank];
  for (int peer : members_of(*comm, team)) {
    if (peer == self.rank) continue;
    Time at = world->now() + hop_time(self, *self.shared->ranks[static_cast<size_t>(peer)], kind);
    int from = self.rank;
    world->events.at(at, [barrier, peer, from, epoch] {
      uint64_t& seen = barrier->seen[{peer, from}];
      seen = std::max(seen, epoch);
      world->note_progress();
      wake_arrived(*barrier);
    });
  }
}
void cuco_team_barrier_wait(const ncclDevComm* comm, int kind, ncclTeam team, uint32_t identity, int count,
                            uint32_t index) {
  TeamBarrier& barrier = barrier_of(comm, kind, team, identity, count, index);
  DevCommRank& self = rank_of(comm);
  TeamBarrier::Waiter waiter = {
      {current_block, current_thread->index}, self.rank, barrier.arrivals[self.rank], members_of(*comm, team)};
  if (all_arrived(barrier, waiter)) return;
  barrier.waiting.push_back(std::move(waiter));
  current_block->suspend({WaitKind::TeamBarrier, index, 0, 0});
}

void cuco_check_window(ncclWindow_t window, size_t offset, int rank, int through_lsa) {
  auto* group = window ? static_cast<WindowGroup*>(window->winHost) : nullptr;
  if (!group) misuse("memory_access", -1, "a null window is used");
  if (rank < 0 || static_cast<size_t>(rank) >= group->base_of_rank.size())
    misuse("memory_access", window->worldRank,
           cuco::concat("rank ", rank, " of a window of ", group->base_of_rank.size(), " ranks"));
  int lsa_size = static_cast<int>(group->lsa_ranks.size());
  if (through_lsa && (rank < window->lsaFirst || rank >= window->lsaFirst + lsa_size))
    misuse("memory_access", window->worldRank,
           cuco::concat("rank ", rank, " is on another node: its memory cannot be loaded or stored to"));
  if (offset > group->bytes_of_rank[static_cast<size_t>(rank)])
    misuse(
        "memory_access", window->worldRank,
        cuco::concat("offset ", offset, " in a window of ", group->bytes_of_rank[static_cast<size_t>(rank)], " bytes"));
}

int cuco_multicast_targets(const void* address, char** targets, int target_count_max) {
  const WindowGroup* group = window_at_multicast(reinterpret_cast<uintptr_t>(address));
  if (!group) misuse("memory_access", -1, "a multimem instruction is used on an address that is not multicast");
  ptrdiff_t offset = static_cast<const char*>(address) - group->multicast_base;
  int self = current_block->grid().device().rank;
  int lsa_size = static_cast<int>(group->lsa_ranks.size());
  int first = self - self % lsa_size, count = 0;
  for (int i = 0; i < lsa_size && count < target_count_max; i++)
    targets[count++] = group->base_of_rank[static_cast<size_t>(first + i)] + offset;
  return count;
}
}
