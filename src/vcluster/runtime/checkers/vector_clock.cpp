#include "vcluster/runtime/checkers/vector_clock.h"

#include <algorithm>
#include <map>

#include "vcluster/runtime/checkers/clock_keys.h"

namespace cuco::vcluster {

namespace {

auto before_key = [](const std::pair<uint64_t, uint32_t>& entry, uint64_t key) { return entry.first < key; };

}  // namespace

uint32_t VectorClock::at(uint64_t key) const {
  auto found = std::lower_bound(entries_.begin(), entries_.end(), key, before_key);
  return found != entries_.end() && found->first == key ? found->second : 0;
}

bool VectorClock::any_between(uint64_t first, uint64_t last) const {
  auto found = std::lower_bound(entries_.begin(), entries_.end(), first, before_key);
  return found != entries_.end() && found->first <= last;
}

void VectorClock::raise(uint64_t key, uint32_t value) {
  auto found = std::lower_bound(entries_.begin(), entries_.end(), key, before_key);
  if (found == entries_.end() || found->first != key)
    entries_.insert(found, {key, value});
  else
    found->second = std::max(found->second, value);
  if (entries_.size() > trim_at_) trim();
}

void VectorClock::join(const VectorClock& other) {
  std::vector<Entry> merged;
  merged.reserve(entries_.size() + other.entries_.size());
  auto mine = entries_.begin();
  for (const Entry& theirs : other.entries_) {
    while (mine != entries_.end() && mine->first < theirs.first) merged.push_back(*mine++);
    if (mine != entries_.end() && mine->first == theirs.first)
      merged.emplace_back(theirs.first, std::max(theirs.second, (mine++)->second));
    else
      merged.push_back(theirs);
  }
  merged.insert(merged.end(), mine, entries_.end());
  entries_ = std::move(merged);
  if (entries_.size() > trim_at_) trim();
}

// Asked at every change of a large clock, most of which know many puts and few parts of kernels.
bool VectorClock::has_many_parts() const {
  auto parts = std::lower_bound(entries_.begin(), entries_.end(), key_of(Component::Block, 0), before_key);
  return static_cast<size_t>(entries_.end() - parts) > kPartsMax;
}

void VectorClock::trim() {
  if (!has_many_parts()) return;
  struct Parts {
    size_t count = 0;
    uint32_t latest = 0;
  };
  std::map<uint32_t, Parts> kernels;
  for (const auto& [key, value] : entries_) {
    if (is_stream(key)) continue;
    Parts& parts = kernels[actor_of(key)];
    parts.count += is_part_of_kernel(key);
    // What a block is known for weakly is counted in barriers, not in moments.
    if (component_of(key) != Component::WeakBlock) parts.latest = std::max(parts.latest, value);
  }
  std::erase_if(kernels, [](const auto& each) { return each.second.count <= kPartsMax; });
  std::erase_if(entries_, [&](const Entry& entry) {
    return is_part_of_kernel(entry.first) && kernels.contains(actor_of(entry.first));
  });
  trim_at_ = std::max(kSizeMax, 2 * entries_.size());
  for (const auto& [actor, parts] : kernels) raise(key_of(Component::Whole, actor), parts.latest);
}

bool VectorClock::covers(const VectorClock& other) const {
  auto mine = entries_.begin();
  for (const Entry& theirs : other.entries_) {
    while (mine != entries_.end() && mine->first < theirs.first) mine++;
    if (mine == entries_.end() || mine->first != theirs.first || mine->second < theirs.second) return false;
  }
  return true;
}

ClockPtr joined(const ClockPtr& a, const ClockPtr& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (a->covers(*b)) return a;
  if (b->covers(*a)) return b;
  auto both = std::make_shared<VectorClock>(*a);
  both->join(*b);
  return both;
}

ClockPtr without(const ClockPtr& clock, uint64_t first, uint64_t last) {
  if (!clock || !clock->any_between(first, last)) return clock;
  auto others = [&](uint64_t key) { return key < first || key > last; };
  return std::make_shared<const VectorClock>(clock->filtered(others));
}

ClockPtr raised(const ClockPtr& clock, uint64_t key, uint32_t value) {
  auto more = clock ? std::make_shared<VectorClock>(*clock) : std::make_shared<VectorClock>();
  more->raise(key, value);
  return more;
}

}  // namespace cuco::vcluster
