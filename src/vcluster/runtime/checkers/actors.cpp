#include "vcluster/runtime/checkers/actors.h"

#include <algorithm>

namespace cuco::vcluster {

uint32_t Actors::number_of(const void* stream) {
  auto found = std::find_if(streams_.begin(), streams_.end(), [&](const auto& known) { return known.first == stream; });
  if (found == streams_.end()) found = streams_.insert(streams_.end(), {stream, 0});
  return static_cast<uint32_t>(found - streams_.begin());
}

uint32_t Actors::add(ActorKind kind, const void* stream, int rank, std::string what) {
  Actor actor;
  actor.kind = kind, actor.rank = rank, actor.what = std::move(what);
  actor.stream = number_of(stream);
  actor.sequence = ++streams_[actor.stream].second;
  return all_.add(std::move(actor));
}

void Actors::retire(uint32_t id) {
  all_[id] = Actor();
  all_[id].is_retired = true;
}

void Actors::release_retired() {
  all_.release([](const Actor& actor) { return !actor.is_retired; });
}

uint64_t Actors::block_key(const Epoch& epoch) const { return key_of(Component::Block, epoch.actor, block_of(epoch)); }

uint64_t Actors::warp_key(const Epoch& epoch) const {
  uint64_t threads = all_[epoch.actor].threads_per_block, warps = (threads + kWarpThreads - 1) / kWarpThreads;
  return key_of(Component::Warp, epoch.actor, block_of(epoch) * warps + epoch.thread % threads / kWarpThreads);
}

Actors::Answer Actors::is_block_known(const VectorClock& clock, const Epoch& epoch) const {
  if (is_retired(epoch.actor)) return Answer::Yes;
  const Actor& actor = all_[epoch.actor];
  if (clock.at(stream_key(epoch.actor)) >= actor.sequence) return Answer::Yes;
  if (clock.at(key_of(Component::Whole, epoch.actor)) >= epoch.clock) return Answer::Yes;
  if (actor.kind == ActorKind::PutSource) return is_block_known(clock, {actor.arrival, 0, 1, 0});
  if (actor.kind != ActorKind::Kernel) return Answer::No;
  if (clock.at(block_key(epoch)) >= epoch.clock) return Answer::Yes;
  uint64_t threads = actor.threads_per_block;
  Epoch first = epoch, last = epoch;
  first.thread = static_cast<uint32_t>(block_of(epoch) * threads);
  last.thread = static_cast<uint32_t>(first.thread + threads - 1);
  bool some = clock.any_between(warp_key(first), warp_key(last)) ||
              clock.any_between(key_of(Component::Thread, epoch.actor, first.thread),
                                key_of(Component::Thread, epoch.actor, last.thread));
  return some ? Answer::ByThread : Answer::No;
}

bool Actors::is_known(const VectorClock& clock, const Epoch& epoch) const {
  Answer answer = is_block_known(clock, epoch);
  if (answer != Answer::ByThread) return answer == Answer::Yes;
  return clock.at(warp_key(epoch)) >= epoch.clock ||
         clock.at(key_of(Component::Thread, epoch.actor, epoch.thread)) >= epoch.clock;
}

bool Actors::is_weakly_known(const VectorClock& weak, const Epoch& epoch) const {
  if (is_known(weak, epoch)) return true;
  const Actor& actor = all_[epoch.actor];
  if (actor.kind != ActorKind::Kernel) return false;
  uint32_t released = weak.at(key_of(Component::WeakThread, epoch.actor, epoch.thread));
  if (released > 0) return released >= epoch.clock;
  return weak.at(key_of(Component::WeakBlock, epoch.actor, block_of(epoch))) > epoch.interval;
}

ClockPtr Actors::pruned(const ClockPtr& clock) const {
  return filtered(clock, [&](uint64_t key) {
    if (is_stream(key)) return true;
    return !is_retired(actor_of(key)) && clock->at(stream_key(actor_of(key))) < all_[actor_of(key)].sequence;
  });
}

}  // namespace cuco::vcluster
