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
  all_.push_back(std::move(actor));
  return static_cast<uint32_t>(all_.size() - 1);
}

uint64_t Actors::block_key(const Epoch& epoch) const {
  return key_of(Component::Block, epoch.actor, epoch.thread / all_[epoch.actor].threads_per_block);
}

bool Actors::is_known(const VectorClock& clock, const Epoch& epoch) const {
  const Actor& actor = all_[epoch.actor];
  if (clock.at(stream_key(epoch.actor)) >= actor.sequence) return true;
  if (clock.at(key_of(Component::Whole, epoch.actor)) >= epoch.clock) return true;
  if (actor.kind == ActorKind::PutSource) return is_known(clock, {actor.arrival, 0, 1, 0});
  if (actor.kind != ActorKind::Kernel) return false;
  uint32_t block = epoch.thread / actor.threads_per_block;
  return clock.at(key_of(Component::Block, epoch.actor, block)) >= epoch.clock ||
         clock.at(key_of(Component::Thread, epoch.actor, epoch.thread)) >= epoch.clock;
}

bool Actors::is_weakly_known(const VectorClock& weak, const Epoch& epoch) const {
  if (is_known(weak, epoch)) return true;
  const Actor& actor = all_[epoch.actor];
  if (actor.kind != ActorKind::Kernel) return false;
  uint32_t released = weak.at(key_of(Component::WeakThread, epoch.actor, epoch.thread));
  if (released > 0) return released >= epoch.clock;
  uint32_t block = epoch.thread / actor.threads_per_block;
  return weak.at(key_of(Component::WeakBlock, epoch.actor, block)) > epoch.interval;
}

}  // namespace cuco::vcluster
