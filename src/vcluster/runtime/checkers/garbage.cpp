// What the race detector can forget in a run that goes on for long.
#include <algorithm>
#include <set>

#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/engine/world.h"

namespace cuco::vcluster {

bool HappensBefore::is_due() const {
  return actors_.size() >= next_collection_actors_ || segments_.next() >= next_collection_segments_;
}

void HappensBefore::collect_garbage() {
  Collection collection = {CommonPast(actors_, viewpoints()), {}};
  retire_actors(collection.past);
  // Clocks still name who is retired when they are asked whether they say anything that somebody does not know.
  prune_values(collection);
  forget_waits();
  prune_actors(collection);
  for (auto& [host, clock] : hosts_) prune(collection, clock);
  for (auto& [place, clock] : places_) prune(collection, clock);
  uint32_t kept = 0;
  actors_.for_each([&](uint32_t) { kept++; });
  actors_.release_retired();
  segments_.release([&](uint32_t actor) { return actors_.is_retired(actor); });
  next_collection_actors_ = actors_.size() + std::max(kActorsBetween, kept);
  next_collection_segments_ = segments_.next() + kSegmentsBetween;
}

// An operation that is submitted later knows what its host thread knows now, and a thread or put of a kernel what the
// kernel knew at its start. A spare thread learns all that the thread knows which gives it work.
std::vector<ClockPtr> HappensBefore::viewpoints() const {
  std::vector<ClockPtr> all;
  for (const std::unique_ptr<Process>& process : world->processes)
    for (const std::unique_ptr<HostThread>& thread : process->threads) {
      auto known = hosts_.find(thread.get());
      if (!thread->ended && !thread->is_spare) all.push_back(known == hosts_.end() ? nullptr : known->second);
    }
  actors_.for_each([&](uint32_t id) {
    if (!actors_[id].is_over) all.push_back(actors_[id].start);
  });
  return all;
}

void HappensBefore::retire_actors(CommonPast& past) {
  // Whether a wait came before an access of an actor that is over is asked of what that one knew.
  std::set<uint32_t> asked_for;
  for (const auto& [signal, value] : raised_) asked_for.insert(value.repeated_wait.actor);
  std::vector<uint32_t> retired;
  actors_.for_each([&](uint32_t id) {
    if (actors_[id].is_over && !asked_for.contains(id) && past.has(id) && past.covers(actors_[id].end))
      retired.push_back(id);
  });
  for (uint32_t id : retired) actors_.retire(id);
}

void HappensBefore::prune(Collection& collection, ClockPtr& clock) {
  if (!clock) return;
  auto [found, is_new] = collection.pruned.try_emplace(clock.get());
  if (is_new) found->second = {clock, actors_.pruned(clock)};
  clock = found->second.second;
}

void HappensBefore::prune(Collection& collection, Released& released) {
  for (ClockPtr* clock : {&released.block, &released.device, &released.system, &released.weak})
    prune(collection, *clock);
}

void HappensBefore::prune_actors(Collection& collection) {
  actors_.for_each([&](uint32_t id) {
    for (ClockPtr* clock : {&actors_[id].start, &actors_[id].end, &actors_[id].learnt}) prune(collection, *clock);
  });
}

// Flags, signals and barriers.
void HappensBefore::prune_values(Collection& collection) {
  auto says_nothing = [&](const Released& released) {
    return collection.past.covers(released.block) && collection.past.covers(released.device) &&
           collection.past.covers(released.system) && collection.past.covers(released.weak);
  };
  std::erase_if(arrivals_, [&](const auto& arrival) { return says_nothing(arrival.second); });
  std::erase_if(flags_,
                [&](const auto& flag) { return says_nothing(flag.second.latest) && says_nothing(flag.second.before); });
  for (auto& [barrier, arrival] : arrivals_) prune(collection, arrival);
  for (auto& [address, flag] : flags_) prune(collection, flag.latest), prune(collection, flag.before);
  for (auto& [signal, value] : raised_) {
    prune(collection, value.strong), prune(collection, value.weak);
    for (Raise& raise : value.pending) prune(collection, raise.strong), prune(collection, raise.weak);
  }
}

void HappensBefore::forget_waits() {
  std::erase_if(waits_, [&](const auto& wait) { return actors_.is_retired(actor_of(wait.first.second)); });
  for (auto& [lane, puts] : puts_)
    while (!puts.kept.empty() && actors_.is_retired(puts.kept.front().source)) puts.kept.pop_front(), puts.gone++;
}

}  // namespace cuco::vcluster
