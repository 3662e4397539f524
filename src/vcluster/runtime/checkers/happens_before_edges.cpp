// What orders: operations on streams, host code, fences and flags, signals and barriers between ranks.
#include <algorithm>
#include <cstring>

#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

uint32_t HappensBefore::begin_operation(const void* stream, int rank, const std::string& what) {
  if (!enabled()) return 0;
  bool has_place = what.find(" at ") != std::string::npos;
  uint32_t id = actors_.add(ActorKind::Operation, stream, rank, has_place ? what : what + at_call_site());
  if (world->current_host) actors_[id].start = hosts_[world->current_host];
  return id;
}

void HappensBefore::order(uint32_t earlier, uint32_t later) {
  if (earlier != 0 && later != 0) actors_[later].after.push_back(earlier);
}

void HappensBefore::start_operation(uint32_t id) {
  if (id == 0) return;
  Actor& actor = actors_[id];
  for (uint32_t earlier : actor.after)
    if (!actors_.is_retired(earlier)) actor.start = joined(actor.start, actors_[earlier].end);
  std::vector<uint32_t>().swap(actor.after);
  if (!actor.start) actor.start = std::make_shared<VectorClock>();
}

void HappensBefore::end_operation(uint32_t id) {
  if (id == 0) return;
  Actor& actor = actors_[id];
  actor.end = actors_.pruned(raised(joined(actor.start, actor.learnt), actors_.stream_key(id), actor.sequence));
  actor.learnt.reset();
  actor.is_over = true;
  kernels_.erase(id);
  if (is_due()) collect_garbage();
}

void HappensBefore::bring(uint32_t from, uint32_t to) {
  if (from == 0 || to == 0 || from == to) return;
  actors_[to].learnt = joined(actors_[to].learnt, actors_[from].start);
}

void HappensBefore::host_learns(uint32_t operation) {
  if (operation == 0 || !world->current_host || actors_.is_retired(operation)) return;
  ClockPtr& host = hosts_[world->current_host];
  const Actor& actor = actors_[operation];
  host = actors_.pruned(joined(host, actor.end ? actor.end : actor.start));
}

void HappensBefore::host_release(const void* place) {
  if (!enabled() || !world->current_host) return;
  places_[place] = joined(places_[place], hosts_[world->current_host]);
}

void HappensBefore::host_acquire(const void* place) {
  if (!enabled() || !world->current_host) return;
  ClockPtr& host = hosts_[world->current_host];
  host = joined(host, places_[place]);
}

void HappensBefore::host_starts(const HostThread* thread) {
  if (enabled() && world->current_host) hosts_[thread] = hosts_[world->current_host];
}

void HappensBefore::host_joins(const HostThread* thread) {
  if (!enabled() || !world->current_host) return;
  ClockPtr& host = hosts_[world->current_host];
  host = joined(host, hosts_[thread]);
}

void HappensBefore::fence(int scope) {
  constexpr int kSystem = 0, kDevice = 1, kBlock = 2;
  if (!enabled() || !current_block || scope > kBlock) return;
  ThreadClock& thread = advance(clock_of(*current_block), current_thread->index);
  thread.fence(scope == kSystem ? AccessScope::System : scope == kDevice ? AccessScope::Device : AccessScope::Block);
}

namespace {

uint64_t word_at(const Access& access) {
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(access.address), std::min<size_t>(access.bytes, sizeof value));
  return value;
}

}  // namespace

void HappensBefore::synchronise(const Access& access, BlockClock& block) {
  uint32_t thread = current_thread->index;
  bool releases = access.order >= AccessOrder::Release,
       acquires = access.order == AccessOrder::Acquire || access.order >= AccessOrder::AcquireRelease;
  Flag& flag = flags_[access.address];
  uint64_t value = word_at(access);
  bool is_old = access.kind == AccessKind::AtomicRead && flag.is_stored && value == flag.value_before;
  if (releases) advance(block, thread).fence(access.scope);
  if (access.kind != AccessKind::AtomicWrite) see(is_old ? flag.before : flag.latest, block, thread);
  if (acquires) change(block, thread).fence(access.scope);
  if (access.kind == AccessKind::AtomicWrite) begin_store(flag, value);
  if (access.kind == AccessKind::AtomicUpdate) flag.is_stored = false;
  if (access.kind != AccessKind::AtomicRead) release(flag.latest, block, thread);
}

// `value` is what the word holds, which is what the store before this one has left there.
void HappensBefore::begin_store(Flag& flag, uint64_t value) {
  if (!flag.is_stored || value != flag.value_before) flag.before = flag.latest;
  flag.value_before = value;
  flag.is_stored = true;
  flag.latest = Released();
}

void HappensBefore::release(Released& flag, BlockClock& block, uint32_t thread) {
  flag.actor = block.actor, flag.block_index = block.index, flag.rank = actors_[block.actor].rank;
  // Weak order tells races between ranks apart; on one device nobody asks for it.
  if (world->devices.size() == 1) return block.view(thread).release_into(flag);
  Epoch now = epoch_of(block, thread);
  ThreadClock& clock = advance(block, thread);
  clock.release_into(flag);
  auto weak = std::make_shared<VectorClock>(*joined(block.weak, clock.known));
  weak->raise(key_of(Component::WeakBlock, now.actor, block.index), now.interval + 1);
  weak->raise(key_of(Component::WeakThread, now.actor, now.thread), now.clock);
  flag.weak = joined(flag.weak, weak);
}

void HappensBefore::see(const Released& flag, BlockClock& block, uint32_t thread) {
  if (flag.actor == 0) return;
  bool same_device = flag.rank == actors_[block.actor].rank;
  bool same_block = flag.actor == block.actor && flag.block_index == block.index;
  const ClockPtr& told = same_block ? flag.block : same_device ? flag.device : flag.system;
  auto is_news = [&](const ClockPtr& clock) {
    return joined(block.view(thread).known, clock) != block.view(thread).known;
  };
  if (is_news(told) || is_news(flag.system)) change(block, thread).see(flag, same_device, same_block);
  block.weak = joined(block.weak, flag.weak);
}

PutActors HappensBefore::post(const void* source_lane, const void* target_lane, const std::string& what,
                              const void* signal) {
  if (!enabled()) return {};
  BlockClock& block = clock_of(*current_block);
  Epoch now = epoch_of(block, current_thread->index);
  ThreadClock& thread = advance(block, current_thread->index);
  int rank = actors_[block.actor].rank;
  PutActors put;
  put.target = actors_.add(ActorKind::PutTarget, target_lane, rank, what);
  put.source = actors_.add(ActorKind::PutSource, source_lane, rank, what);
  actors_[put.source].arrival = put.target;
  ClockPtr learnt = joined(block.weak, thread.known);
  for (uint32_t id : {put.source, put.target}) {
    actors_[id].start = thread.known;
    actors_[id].learnt = learnt;
    actors_[id].signal = signal;
    actors_[id].post = now;
  }
  puts_[source_lane].kept.push_back({now, put.source});
  last_arrival_[target_lane] = put.target;
  return put;
}

void HappensBefore::finish(PutActors put) {
  if (put.target == 0) return;
  actors_[put.source].is_over = actors_[put.target].is_over = true;
}

void HappensBefore::forget(PutActors put) {
  finish(put);
  if (put.target == 0) return;
  for (uint32_t id : {put.source, put.target}) actors_[id].start = actors_[id].learnt = nullptr;
}

void HappensBefore::will_raise_signal(const void* signal, PutActors put, bool is_strong, uint64_t amount) {
  if (put.target == 0) return;
  const Actor& target = actors_[put.target];
  auto carried = std::make_shared<VectorClock>(*target.start);
  carried->raise(key_of(Component::Whole, put.target), 1);
  if (is_strong) carried->raise(actors_.stream_key(put.target), target.sequence);
  raised_[signal].pending.push_back({target.stream, is_strong, amount, carried, joined(target.learnt, carried)});
}

void HappensBefore::will_raise_counter(const void* counter, PutActors put) {
  if (put.source == 0) return;
  ClockPtr carried = raised(nullptr, key_of(Component::Whole, put.source), 1);
  raised_[counter].pending.push_back({actors_[put.target].stream, true, 1, carried, nullptr});
}

void HappensBefore::begin_wait(const void* signal, uint64_t least) {
  if (!enabled()) return;
  Epoch now = epoch_of(clock_of(*current_block), current_thread->index);
  RaisedValue& value = raised_[signal];
  const Epoch& latest = value.latest_wait;
  bool begins_round = latest.actor != 0 && (latest.actor != now.actor || latest.thread == now.thread);
  if (begins_round && least <= value.least_max && value.repeated_wait.actor == 0) value.repeated_wait = now;
  value.latest_wait = now;
  value.least_max = std::max(value.least_max, least);
  waits_.insert({{signal, actors_.block_key(now)}, {now.thread, UINT32_MAX}});
}

// A wait for a value covers a raise for certain when the others could not have reached that value without it and
// those that cannot come before it.
HappensBefore::RaisedValue& HappensBefore::settle(const void* value, uint64_t least) {
  RaisedValue& all = raised_[value];
  uint64_t possible = all.settled_amount;
  std::unordered_map<uint32_t, uint64_t> left;  // By lane: the amount of this raise in order and those after it.
  for (const Raise& raise : all.pending) {
    possible += raise.amount;
    if (raise.is_in_order) left[raise.lane] += raise.amount;
  }
  std::erase_if(all.pending, [&](const Raise& raise) {
    uint64_t without = possible - (raise.is_in_order ? left[raise.lane] : raise.amount);
    if (raise.is_in_order) left[raise.lane] -= raise.amount;
    if (without >= least) return false;
    all.strong = joined(all.strong, raise.strong), all.weak = joined(all.weak, raise.weak);
    all.settled_amount += raise.amount;
    return true;
  });
  return all;
}

void HappensBefore::see_signal(const void* signal, uint64_t least) {
  if (!enabled() || least == 0) return;
  RaisedValue& value = settle(signal, least);
  BlockClock& block = clock_of(*current_block);
  ThreadClock& thread = change(block, current_thread->index);
  thread.seen_system = joined(thread.seen_system, value.strong);
  block.weak = joined(block.weak, value.weak);
  Epoch now = epoch_of(block, current_thread->index);
  auto wait = waits_.find({signal, actors_.block_key(now)});
  if (wait != waits_.end()) wait->second.end_interval = std::min(wait->second.end_interval, now.interval);
}

void HappensBefore::see_counter(const void* counter, uint64_t least) {
  if (!enabled() || least == 0) return;
  ThreadClock& thread = change(clock_of(*current_block), current_thread->index);
  thread.known = joined(thread.known, settle(counter, least).strong);
}

void HappensBefore::reset_value(const void* value) {
  if (enabled()) raised_.erase(value);
}

// A flush speaks for the puts that its thread knows to have been posted.
void HappensBefore::flush(const void* source_lane) {
  if (!enabled()) return;
  BlockClock& block = clock_of(*current_block);
  ThreadClock& thread = change(block, current_thread->index);
  Viewer viewer = {epoch_of(block, current_thread->index), thread.known.get(), nullptr};
  const PostedPuts& puts = puts_[source_lane];
  if (puts.kept.empty()) return;
  uint64_t lane = actors_.stream_key(puts.kept.front().source);
  auto learnt = std::make_shared<VectorClock>();
  uint32_t prefix = std::max(thread.known->at(lane), puts.gone);
  for (uint32_t i = prefix; i < puts.gone + puts.kept.size(); i++) {
    const PostedPut& put = puts.kept[i - puts.gone];
    if (!is_known(viewer, put.post)) continue;
    // Whoever knows a lane up to a point knows every put before it: clocks need not name them one by one.
    if (prefix == i)
      learnt->raise(lane, ++prefix);
    else
      learnt->raise(key_of(Component::Whole, put.source), 1);
  }
  thread.known = joined(thread.known, learnt);
}

void HappensBefore::arrive(const void* barrier, int rank, uint64_t round,
                           const std::vector<const void*>& target_lanes) {
  if (!enabled()) return;
  BlockClock& block = clock_of(*current_block);
  ThreadClock& thread = change(block, current_thread->index);
  Released& arrival = arrivals_[{barrier, {rank, round}}];
  arrival = Released();
  release(arrival, block, current_thread->index);
  // Two barriers in a row are one over both teams: the first releases, the last acquires.
  arrival.system = joined(arrival.system, thread.seen_system);
  // A barrier over the network is made of signals, and a signal covers the puts before it.
  for (const void* lane : target_lanes) {
    auto last = last_arrival_.find(lane);
    if (last == last_arrival_.end() || actors_.is_retired(last->second)) continue;
    arrival.system = raised(arrival.system, actors_.stream_key(last->second), actors_[last->second].sequence);
  }
  thread.clock++;
}

void HappensBefore::leave(const void* barrier, int rank, uint64_t round) {
  if (!enabled()) return;
  auto arrival = arrivals_.find({barrier, {rank, round}});
  if (arrival == arrivals_.end()) return;
  see(arrival->second, clock_of(*current_block), current_thread->index);
}

Epoch HappensBefore::mark() {
  if (!enabled()) return {};
  BlockClock& block = clock_of(*current_block);
  Epoch now = epoch_of(block, current_thread->index);
  advance(block, current_thread->index);
  return now;
}

bool HappensBefore::comes_after(const Epoch& moment) {
  if (!enabled() || moment.actor == 0) return true;
  BlockClock& block = clock_of(*current_block);
  const ThreadClock& thread = block.view(current_thread->index);
  Viewer viewer = {epoch_of(block, current_thread->index), thread.known.get(), nullptr};
  if (is_known(viewer, moment)) return true;
  ClockPtr heard = joined(block.weak, joined(thread.known, thread.seen_system));
  return heard && actors_.is_weakly_known(*heard, moment);
}

}  // namespace cuco::vcluster
