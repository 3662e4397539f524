// NCCL's device side: puts, signals, counters and barriers as kernels call them. A put reads its source when the link
// gets to it and lands at its arrival time; a strong signal is never visible before the earlier puts of its context to
// that peer, a weak one before its own put. Within that, the seed picks the delays.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/api/nccl/gin.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/checkers/source_reuse.h"
#include "vcluster/runtime/engine/handles.h"
#include "vcluster/runtime/engine/pollers.h"
#include "vcluster/runtime/recording/validity.h"

namespace cuco::vcluster {

GinContext& context_of(DevCommRank& rank, int context) {
  if (context < 0 || static_cast<size_t>(context) >= rank.contexts.size())
    misuse("signal_accounting", rank.rank,
           concat("context ", context, " is used, but the device communicator has ", rank.contexts.size()));
  return rank.contexts[static_cast<size_t>(context)];
}

void misuse(const std::string& kind, int rank, const std::string& text) {
  world->add_finding(kind, rank, concat(describe_running_thread(), ": ", text));
  world->end_run("fault", 1);
}

DevCommRank& rank_of(const ncclDevComm* comm) {
  DevCommRank* rank = Handles<DevCommRank>::find(comm->owner);
  if (!rank) misuse("memory_access", running_rank(), "a device communicator is used that was never made");
  if (rank->is_destroyed) misuse("memory_access", rank->rank, "a device communicator is used that was destroyed");
  return *rank;
}

DevCommRank& peer_of(const GinRequest& request) {
  DevCommRank& from = rank_of(request.comm);
  if (request.peer < 0 || static_cast<size_t>(request.peer) >= from.shared->ranks.size())
    misuse("memory_access", from.rank, concat("a put to rank ", request.peer, " of ", from.shared->ranks.size()));
  return *from.shared->ranks[static_cast<size_t>(request.peer)];
}

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

constexpr Time kDelayMax = 30 * kMicrosecond;  // That a seed may add to a put.

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

// Shows the put on the timeline and in the account of its kernel.
size_t note_send(const Device& from, const DevCommRank& to, size_t bytes, const LinkQueue::Sending& sending) {
  bool crosses = from.node != to.device->node;
  current_block->note_sent(crosses, bytes, current_block->computed);
  if (!world->timeline.for_trace()) return Timeline::kNoSend;
  std::string place = current_thread->place ? concat(" at ", current_thread->place) : "";
  return world->timeline.add_send(
      {from.rank, crosses, sending.begin, sending.end, concat("put of ", bytes, " bytes to rank ", to.rank, place)});
}

}  // namespace

Schedule schedule(DevCommRank& from, const DevCommRank& to, size_t bytes, Time earliest) {
  const model::Link* link = link_between(*from.device, *to.device);
  if (!link) return {earliest, earliest + kMicrosecond, Timeline::kNoSend};
  Device& device = *from.device;
  bool crosses = device.node != to.device->node;
  LinkQueue::Sending sending =
      (crosses ? device.between : device.inside).send(earliest, *link, static_cast<double>(bytes));
  Time read = sending.end + drawn_delay();
  Time arrival = read + from_us(link->latency_us) + drawn_delay();
  for (int rank : {device.rank, to.device->rank})
    world->timeline.add_span(rank, Category::Communication, world->now(), arrival);
  return {read, arrival, note_send(device, to, bytes, sending)};
}

void check_window_range(const DevCommRank& user, ncclWindow_t window, size_t offset, size_t bytes, int rank,
                        const char* what) {
  int self = current_block->grid().device().rank;
  const Window* known = window_of(window);
  if (!known || !known->is_registered || !known->has_rank(rank))
    misuse("memory_access", self, concat(what, " uses a window that was deregistered or never registered"));
  if (known->group->comm != user.shared->comm.get())
    misuse("memory_access", self,
           concat(what, " uses a window of another communicator than its device communicator's"));
  size_t room = known->bytes(rank);
  if (offset > room || bytes > room - offset)
    misuse("memory_access", self,
           concat(what, " of ", bytes, " bytes at offset ", offset, " leaves the window of ", room, " bytes on rank ",
                  rank));
}

namespace {

void check_bounds(const GinRequest& request, const DevCommRank& from) {
  if (request.bytes == 0) return;
  check_window_range(from, request.target_window, request.target_offset, request.bytes, request.peer, "a put");
  if (request.source_window)
    check_window_range(from, request.source_window, request.source_offset, request.bytes, from.rank, "a put");
  else if (request.bytes > sizeof request.value)
    misuse("memory_access", from.rank, concat("a put of a value of ", request.bytes, " bytes"));
}

bool covers_earlier_puts(const GinRequest& request, const DevCommRank& from) {
  return request.is_strong() || (request.is_plain() && from.has_strong_signals);
}

// Where nothing keeps a signal behind the payload, it is a message of its own.
bool passes_its_put(const GinRequest& request) {
  return request.signal_window && !window_of(request.signal_window)->group->has_strict_ordering;
}

// What of the request decides what its signal covers.
std::string manner_of(const GinRequest& request, const DevCommRank& from) {
  std::string context = from.contexts.size() > 1 ? concat(" on context ", request.context) : "";
  if (request.signal_kind == 0) return context;
  if (passes_its_put(request)) return context + " with a VA signal of a window without strict ordering";
  return context + (covers_earlier_puts(request, from) ? "" : " with a weak signal");
}

std::string describe_post(const GinRequest& request, const DevCommRank& from) {
  const char* place = current_thread->place;
  return concat(request.bytes > 0 ? "a put to rank " : "a signal to rank ", request.peer, manner_of(request, from),
                place ? " at " : "", place ? place : "");
}

// A put that comes when its target has gone is lost, or lands in memory that is someone else's by then.
bool has_target(const GinRequest& request, const std::string& what) {
  const WindowGroup& group = *window_of(request.target_window)->group;
  if (!group.is_gone_on_rank[static_cast<size_t>(request.peer)]) return true;
  report_once("memory_access", request.peer, what,
              concat(what, " arrives in a window that rank ", request.peer,
                     " has deregistered: the rank has to wait for its signal first"));
  return false;
}

// Of a run whose results are compared: what of the payload is valid. Who is misled may put to any place.
void follow_payload(const GinRequest& request, const DevCommRank& from, const Schedule& when, char* target) {
  auto taken = std::make_shared<TakenBytes>();
  taken->size = request.bytes;
  auto to = reinterpret_cast<uintptr_t>(target);
  if (!request.source_window)
    taken->valid = {{0, std::string(reinterpret_cast<const char*>(&request.value), request.bytes)}};
  if (is_misled()) taken->valid.clear();
  if (request.source_window && !is_misled()) {
    auto source =
        reinterpret_cast<uintptr_t>(window_of(request.source_window)->base(from.rank) + request.source_offset);
    world->events.at(when.source_read, [taken, source] { *taken = validity().take(source, taken->size); });
  }
  world->events.at(when.arrival, [taken, to] { validity().give(to, *taken); });
}

// The payload, read when the link gets to it.
void send_payload(const GinRequest& request, DevCommRank& from, const Schedule& when, PutActors actors,
                  const std::string& what) {
  char* target = window_of(request.target_window)->base(request.peer) + request.target_offset;
  if (keeps_validity) follow_payload(request, from, when, target);
  if (!world->moves(request.bytes)) return;
  auto payload = std::make_shared<std::vector<char>>(request.bytes);
  auto written = std::make_shared<WrittenFlags>(request.bytes, true);
  if (!request.source_window) {
    std::memcpy(payload->data(), &request.value, request.bytes);
  } else {
    const char* source = window_of(request.source_window)->base(from.rank) + request.source_offset;
    races().access_by(actors.source, source, request.bytes, AccessKind::Read);
    auto guard = std::make_shared<SourceGuard>(source, request.bytes, from.rank);
    world->events.at(when.source_read, [payload, guard, written, source] {
      *payload = guard->read();
      *written = take_written(source, payload->size());
    });
  }
  // A few bytes arrive as one, so that they can be polled.
  AccessKind kind = request.bytes <= 8 ? AccessKind::AtomicWrite : AccessKind::Write;
  world->events.at(when.arrival, [payload, written, target, actors, kind, request, what] {
    if (!has_target(request, what)) return;
    races().access_by(actors.target, target, payload->size(), kind);
    if (!request.signal_window || passes_its_put(request)) races().forget(actors);
    give_written(target, *written);
    std::memcpy(target, payload->data(), payload->size());
    world->note_progress();
  });
}

PutActors note_post(const GinRequest& request, GinContext& mine, const WaitedValue* signal, const std::string& what) {
  return races().post(&mine, &mine.last_arrival[static_cast<size_t>(request.peer)], what, signal);
}

// The signal that the request raises on its peer; null when it raises none.
WaitedValue* signal_of(const GinRequest& request, const DevCommRank& from, DevCommRank& to) {
  if (request.signal_kind == 0) return nullptr;
  if (request.signal_window) return &va_signal(to, request.signal_window, request.signal_offset);
  return &checked(context_of(to, request.context).signals, request.signal, "signal", from.rank);
}

Time passing_arrival(const DevCommRank& from, const DevCommRank& to) {
  const model::Link* link = link_between(*from.device, *to.device);
  return world->now() + (link ? from_us(link->latency_us) : kMicrosecond) + drawn_delay();
}

// `in_turn` is when everything that the context has posted to that peer has arrived.
void post_signal(const GinRequest& request, WaitedValue* signal, PutActors actors, const Schedule& put, Time in_turn) {
  DevCommRank &from = rank_of(request.comm), &to = peer_of(request);
  if (request.is_strong() && !from.has_strong_signals)
    misuse("signal_accounting", from.rank,
           "a strong signal is sent, but the device communicator was made without ginStrongSignalsRequired");
  bool is_strong = covers_earlier_puts(request, from), passes = passes_its_put(request);
  if (passes && request.bytes > 0)
    actors = note_post(request, context_of(from, request.context), signal, describe_post(request, from));
  signal->ledger.on_post(request.increments() ? SignalLedger::Action::Increment : SignalLedger::Action::Add, to.rank,
                         request.signal);
  races().will_raise_signal(signal, actors, is_strong && !passes, request.signal_value);
  Time arrival = passes ? passing_arrival(from, to) : is_strong ? in_turn : put.arrival;
  // Nothing but the signal is left of a put without bytes, or whose signal goes by itself.
  bool is_alone = passes || request.bytes == 0;
  if (is_alone && !request.signal_window) races().finish(actors);
  world->events.at(arrival, [signal, request, &to, send = put.send, actors] {
    signal->last_send = send;
    signal->ledger.on_arrival();
    if (!request.signal_window) return signal->add(request.signal_value);
    raise_va_signal(to, request, *signal, actors.target);
    races().finish(actors);
  });
}

void post(const GinRequest& request) {
  DevCommRank& from = rank_of(request.comm);
  DevCommRank& to = peer_of(request);
  check_bounds(request, from);
  Schedule when = schedule(from, to, request.bytes, world->now());
  GinContext& mine = context_of(from, request.context);
  mine.sources_read = std::max(mine.sources_read, when.source_read);
  WaitedValue* signal = signal_of(request, from, to);
  std::string what = describe_post(request, from);
  PutActors actors = note_post(request, mine, signal, what);
  if (request.bytes > 0) {
    send_payload(request, from, when, actors, what);
    harness().use_slot(window_of(request.target_window)->base(request.peer) + request.target_offset, request.bytes);
  }
  if (signal) harness().use_slot(signal, sizeof *signal);
  current_block->grid().traffic.add(from.device->rank, to.device->rank, model::Carrier::Gin, request.bytes);
  Time& last = mine.last_arrival[static_cast<size_t>(request.peer)];
  last = std::max(last, when.arrival);
  if (signal) post_signal(request, signal, actors, when, last);
  if (!signal && request.bytes == 0) races().finish(actors);
  if (request.has_counter) {
    WaitedValue* counter = &checked(mine.counters, request.counter, "counter", from.rank);
    races().will_raise_counter(counter, actors);
    counter->ledger.on_counter_post();
    world->events.at(when.source_read, [counter] {
      counter->ledger.on_arrival();
      counter->add(1);
    });
  }
}

}  // namespace

uint64_t wait_until(WaitedValue& value, WaitKind kind, uint32_t index, uint64_t least, int bits) {
  current_block->catch_up();
  if (kind == WaitKind::Signal) value.ledger.on_wait(least, current_block->grid().device().rank, index);
  while (!WaitedValue::reached(least, value.value, bits)) {
    value.waiting.push_back({{current_block, current_thread->index}, least, bits});
    current_block->suspend({kind, index, least, value.value, &value.ledger});
  }
  const Grid& grid = current_block->grid();
  world->timeline.add_flow({value.last_send, grid.device().rank, grid.launch().stream, world->now()});
  if (kind == WaitKind::Signal) value.ledger.on_wait_met();
  return value.value;
}

uint64_t without_rolling(uint64_t least, uint64_t reached, int bits) {
  return reached - ((reached - least) & (~uint64_t{0} >> (64 - bits)));
}

namespace {

// World ranks of a team that contains the caller.
std::vector<int> members_of(const DevCommRank& self, ncclTeam team) {
  std::vector<int> members;
  for (int i = 0; i < team.nRanks; i++) {
    int member = self.rank + (i - team.rank) * team.stride;
    if (member < 0 || static_cast<size_t>(member) >= self.shared->ranks.size())
      misuse("barrier_misuse", self.rank, concat("a team has rank ", member, " of ", self.shared->ranks.size()));
    members.push_back(member);
  }
  return members;
}

std::string name_of_barrier(int context, uint32_t index) {
  return concat(context == kCucoNoContext ? "LSA" : "GIN", " barrier ", index);
}

TeamBarrier& barrier_of(const ncclDevComm* comm, int context, ncclTeam team, uint32_t identity, int count,
                        uint32_t index) {
  DevCommRank& self = rank_of(comm);
  if (index >= static_cast<uint32_t>(std::max(count, 0)))
    misuse("barrier_misuse", self.rank,
           concat(name_of_barrier(context, index), " is used, but ", count, " were asked for"));
  std::vector<int> members = members_of(self, team);
  if (members.empty()) misuse("barrier_misuse", self.rank, "a team of no ranks meets at a barrier");
  return self.shared->barriers[concat(context, "/", identity, "/", index, "/", members.front(), "/", team.stride)];
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

// Where the puts of a context go.
std::vector<const void*> target_lanes(const GinContext& context) {
  std::vector<const void*> lanes;
  for (const Time& last : context.last_arrival) lanes.push_back(&last);
  return lanes;
}

// Ranks that can never come: they have arrived less often and run nothing that could.
void report_missing(const DevCommShared& shared, const TeamBarrier& barrier) {
  for (const TeamBarrier::Waiter& waiter : barrier.waiting)
    for (int peer : waiter.team) {
      auto arrived = barrier.arrivals.find(peer);
      bool came = arrived != barrier.arrivals.end() && arrived->second >= waiter.epoch;
      if (!came && shared.ranks[static_cast<size_t>(peer)]->device->grids().empty())
        barrier.ledger.report_missing(waiter.rank, peer);
    }
}

Time hop_time(const DevCommRank& from, const DevCommRank& to, int context) {
  const model::Link* link = context == kCucoNoContext ? nullptr : link_between(*from.device, *to.device);
  return (link ? from_us(link->latency_us) : world->costs.flag_hop) + drawn_delay() / 8;
}

}  // namespace

void check_barriers(const DevCommShared& shared, bool is_stuck) {
  for (const auto& [name, barrier] : shared.barriers) {
    if (is_stuck)
      report_missing(shared, barrier);
    else
      barrier.ledger.check_end();
  }
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

extern "C" {

void cuco_gin_post(const GinRequest* request) {
  current_block->catch_up();
  post(*request);
}

void cuco_gin_flush(const ncclDevComm* comm, int context) {
  current_block->catch_up();
  GinContext& flushed = context_of(rank_of(comm), context);
  races().flush(&flushed);
  Time until = flushed.sources_read;
  if (until <= world->now()) return;
  // A source read at this very instant comes first: it was queued before.
  current_block->make_ready(current_thread->index, until);
  current_block->suspend({WaitKind::Flush, 0, 0, 0});
}

uint64_t cuco_gin_read_signal_from(const ncclDevComm* comm, int context, uint32_t signal, const char* stack) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(context_of(self, context).signals, signal, "signal", self.rank);
  value.ledger.on_read();
  pollers().look({&value.value, value.value, 8, false, stack});
  races().see_signal(&value, value.value);
  return value.value;
}
uint64_t cuco_gin_read_counter_from(const ncclDevComm* comm, int context, uint32_t counter, const char* stack) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(context_of(self, context).counters, counter, "counter", self.rank);
  pollers().look({&value.value, value.value, 8, false, stack});
  races().see_counter(&value, value.value);
  return value.value;
}
uint64_t cuco_gin_wait_signal(const ncclDevComm* comm, int context, uint32_t signal, uint64_t least, int bits) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(context_of(self, context).signals, signal, "signal", self.rank);
  races().begin_wait(&value, least);
  uint64_t reached = wait_until(value, WaitKind::Signal, signal, least, bits);
  races().see_signal(&value, without_rolling(least, reached, bits));
  return reached;
}
uint64_t cuco_gin_wait_counter(const ncclDevComm* comm, int context, uint32_t counter, uint64_t least, int bits) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(context_of(self, context).counters, counter, "counter", self.rank);
  uint64_t reached = wait_until(value, WaitKind::Counter, counter, least, bits);
  races().see_counter(&value, without_rolling(least, reached, bits));
  return reached;
}
void cuco_gin_reset_signal(const ncclDevComm* comm, int context, uint32_t signal) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(context_of(self, context).signals, signal, "signal", self.rank);
  value.ledger.on_reset(value.value, self.rank, cuco::concat("signal ", signal));
  races().reset_value(&value);
  value.value = 0;
}
void cuco_gin_reset_counter(const ncclDevComm* comm, int context, uint32_t counter) {
  DevCommRank& self = rank_of(comm);
  WaitedValue& value = checked(context_of(self, context).counters, counter, "counter", self.rank);
  // Counters may be left unwaited: a flush does the same work. Only those under way matter.
  value.ledger.on_reset(0, self.rank, cuco::concat("counter ", counter));
  races().reset_value(&value);
  value.value = 0;
}

void cuco_team_barrier_arrive(const ncclDevComm* comm, int context, ncclTeam team, uint32_t identity, int count,
                              uint32_t index, int covers_puts) {
  current_block->catch_up();
  TeamBarrier* barrier = &barrier_of(comm, context, team, identity, count, index);
  DevCommRank& self = rank_of(comm);
  harness().use_slot(barrier, sizeof *barrier);
  uint64_t epoch = ++barrier->arrivals[self.rank];
  barrier->ledger.on_arrive(self.rank, name_of_barrier(context, index));
  const GinContext* covered = covers_puts ? &context_of(self, context) : nullptr;
  races().arrive(barrier, self.rank, epoch, covered ? target_lanes(*covered) : std::vector<const void*>());
  for (int peer : members_of(self, team)) {
    if (peer == self.rank) continue;
    Time at = world->now() + hop_time(self, *self.shared->ranks[static_cast<size_t>(peer)], context);
    if (covered) at = std::max(at, covered->last_arrival[static_cast<size_t>(peer)]);
    int from = self.rank;
    world->timeline.add_span(self.device->rank, Category::Communication, world->now(), at);
    world->events.at(at, [barrier, peer, from, epoch] {
      uint64_t& seen = barrier->seen[{peer, from}];
      seen = std::max(seen, epoch);
      world->note_progress();
      wake_arrived(*barrier);
    });
  }
}
void cuco_team_barrier_wait(const ncclDevComm* comm, int context, ncclTeam team, uint32_t identity, int count,
                            uint32_t index) {
  TeamBarrier& barrier = barrier_of(comm, context, team, identity, count, index);
  DevCommRank& self = rank_of(comm);
  TeamBarrier::Waiter waiter = {
      {current_block, current_thread->index}, self.rank, barrier.arrivals[self.rank], members_of(self, team)};
  if (!all_arrived(barrier, waiter)) {
    barrier.waiting.push_back(waiter);
    current_block->suspend({WaitKind::TeamBarrier, index, 0, 0, &barrier.ledger});
  }
  barrier.ledger.on_leave(self.rank);
  for (int peer : waiter.team) races().leave(&barrier, peer, waiter.epoch);
}

void cuco_check_window(ncclWindow_t handle, size_t offset, int rank, int through_lsa) {
  const Window* window = window_of(handle);
  if (!window)
    misuse("memory_access", -1, handle ? "a window is used that was never registered" : "a null window is used");
  if (!window->is_registered) misuse("memory_access", window->rank, "a window is used that was deregistered");
  if (!window->has_rank(rank))
    misuse("memory_access", window->rank,
           cuco::concat("rank ", rank, " of a window of ", window->group->base_of_rank.size(), " ranks"));
  if (through_lsa && !window->reaches(rank))
    misuse("memory_access", window->rank,
           cuco::concat("rank ", rank, " is on another node: its memory cannot be loaded or stored to"));
  if (offset > window->bytes(rank))
    misuse("memory_access", window->rank,
           cuco::concat("offset ", offset, " in a window of ", window->bytes(rank), " bytes"));
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

void cuco_multicast_loaded(char** targets, int count, size_t bytes) {
  Grid& grid = current_block->grid();
  for (int i = 0; i < count; i++)
    grid.traffic.add(device_of(reinterpret_cast<uintptr_t>(targets[i])), grid.device().rank, cuco::model::Carrier::Lsa,
                     bytes);
}
}
