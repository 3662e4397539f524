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

uint32_t VectorClock::least_between(uint64_t first, uint64_t last) const {
  auto begin = std::lower_bound(entries_.begin(), entries_.end(), first, before_key);
  if (static_cast<uint64_t>(entries_.end() - begin) <= last - first) return 0;
  auto end = begin + static_cast<ptrdiff_t>(last - first) + 1;
  if ((end - 1)->first != last) return 0;
  auto by_value = [](const Entry& a, const Entry& b) { return a.second < b.second; };
  return std::min_element(begin, end, by_value)->second;
}

void VectorClock::join(const VectorClock& other) {
  size_t missing = 0;
  auto mine = entries_.begin();
  for (const Entry& theirs : other.entries_) {
    while (mine != entries_.end() && mine->first < theirs.first) mine++;
    if (mine != entries_.end() && mine->first == theirs.first)
      mine->second = std::max(mine->second, theirs.second);
    else
      missing++;
  }
  if (missing > 0) insert_missing(other.entries_, missing);
  if (entries_.size() > trim_at_) trim();
}

// From the back, so that nothing is moved that stands before the first of them.
void VectorClock::insert_missing(const std::vector<Entry>& theirs, size_t missing) {
  entries_.resize(entries_.size() + missing);
  auto begin = entries_.begin(), to = entries_.end(), from = to - static_cast<ptrdiff_t>(missing);
  for (auto next = theirs.rbegin(); missing > 0; next++) {
    while (from != begin && (from - 1)->first > next->first) *--to = *--from;
    if (from != begin && (from - 1)->first == next->first) continue;
    *--to = *next;
    missing--;
  }
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

void ManyJoined::add(const ClockPtr& clock) {
  if (!clock || clock.get() == latest_) return;
  latest_ = clock.get();
  if (own_) return own_->join(*clock);
  if (!result_ || clock->covers(*result_)) {
    result_ = clock;
  } else if (!result_->covers(*clock)) {
    own_ = std::make_shared<VectorClock>(*result_);
    own_->join(*clock);
    result_ = own_;
  }
}

ClockPtr without(const ClockPtr& clock, uint64_t first, uint64_t last, uint32_t value) {
  if (!clock || !clock->any_between(first, last)) return clock;
  auto stays = [&](uint64_t key, uint32_t known) { return key < first || key > last || known > value; };
  return std::make_shared<const VectorClock>(clock->filtered(stays));
}

ClockPtr raised(const ClockPtr& clock, uint64_t key, uint32_t value) {
  auto more = clock ? std::make_shared<VectorClock>(*clock) : std::make_shared<VectorClock>();
  more->raise(key, value);
  return more;
}

}  // namespace cuco::vcluster
