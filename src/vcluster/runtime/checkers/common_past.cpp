#include "vcluster/runtime/checkers/common_past.h"

#include <algorithm>

namespace cuco::vcluster {

CommonPast::CommonPast(const Actors& actors, const std::vector<ClockPtr>& viewpoints)
    : actors_(actors), viewpoints_(viewpoints), floors_(actors.stream_count()), answers_(actors.size()) {
  std::sort(viewpoints_.begin(), viewpoints_.end());  // The order of the pointers changes no answer.
  viewpoints_.erase(std::unique(viewpoints_.begin(), viewpoints_.end()), viewpoints_.end());
  for (uint32_t stream = 0; stream < floors_.size(); stream++) {
    uint32_t floor = viewpoints_.empty() ? 0 : UINT32_MAX;
    for (const ClockPtr& clock : viewpoints_)
      floor = std::min(floor, clock ? clock->at(key_of(Component::Stream, stream)) : 0);
    floors_[stream] = floor;
  }
}

bool CommonPast::is_known_to_all(uint32_t actor) const {
  if (actors_[actor].sequence <= floors_[actors_[actor].stream]) return true;
  // Of a kernel a clock may know a part, however much it says.
  if (actors_[actor].kind == ActorKind::Kernel || viewpoints_.empty()) return false;
  return std::all_of(viewpoints_.begin(), viewpoints_.end(), [&](const ClockPtr& clock) {
    return clock && actors_.is_block_known(*clock, {actor, 0, 1, 0}) == Actors::Answer::Yes;
  });
}

bool CommonPast::has(uint32_t actor) {
  if (actors_.is_retired(actor)) return true;
  if (answers_[actor] == Answer::Unasked) answers_[actor] = is_known_to_all(actor) ? Answer::Yes : Answer::No;
  return answers_[actor] == Answer::Yes;
}

bool CommonPast::covers(const ClockPtr& clock) {
  return !clock || clock->all_of([&](uint64_t key, uint32_t value) {
    return is_stream(key) ? floors_[actor_of(key)] >= value : has(actor_of(key));
  });
}

}  // namespace cuco::vcluster
