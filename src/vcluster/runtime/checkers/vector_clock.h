// What an actor knows to be over: a sparse vector clock. A component is a stream of operations, a whole operation, or a
// block, warp or thread of a kernel; its value says up to which point that component is known. Of a kernel of which
// very many parts are known one by one, all of it counts as known: clocks stay small, and a race may go unseen.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace cuco::vcluster {

class VectorClock {
 public:
  uint32_t at(uint64_t key) const;
  void raise(uint64_t key, uint32_t value);
  // Whether any component from `first` to `last` is known.
  bool any_between(uint64_t first, uint64_t last) const;
  // Up to where each component from `first` to `last` is known; 0: some are not.
  uint32_t least_between(uint64_t first, uint64_t last) const;
  void join(const VectorClock& other);
  bool covers(const VectorClock& other) const;
  // Whether holds(key, value) for every component.
  template <class Holds>
  bool all_of(Holds holds) const {
    for (const Entry& entry : entries_)
      if (!holds(entry.first, entry.second)) return false;
    return true;
  }
  // Only the components for which `keep(key, value)` holds.
  template <class Keep>
  VectorClock filtered(Keep keep) const {
    VectorClock some;
    for (const Entry& entry : entries_)
      if (keep(entry.first, entry.second)) some.entries_.push_back(entry);
    return some;
  }
  size_t size() const { return entries_.size(); }

  static constexpr size_t kPartsMax = 256;  // Of one kernel, once the clock has kSizeMax components.
  static constexpr size_t kSizeMax = 512;

 private:
  using Entry = std::pair<uint64_t, uint32_t>;
  void insert_missing(const std::vector<Entry>& theirs, size_t missing);
  void trim();
  bool has_many_parts() const;

  std::vector<Entry> entries_;  // By key.
  // A clock that knows few parts of many kernels stays large when it is trimmed, and is let alone until it has doubled.
  size_t trim_at_ = kSizeMax;
};

// Clocks are shared between actors that know the same and never changed once shared.
using ClockPtr = std::shared_ptr<const VectorClock>;

ClockPtr joined(const ClockPtr& a, const ClockPtr& b);
// The same of many, without a clock for each step between.
class ManyJoined {
 public:
  void add(const ClockPtr& clock);
  const ClockPtr& result() const { return result_; }

 private:
  ClockPtr result_;
  std::shared_ptr<VectorClock> own_;  // The result, once it is none of those added.
  const VectorClock* latest_ = nullptr;
};
// The clock itself where it has no other components than those for which `keep(key)` holds.
template <class Keep>
ClockPtr filtered(const ClockPtr& clock, Keep keep) {
  if (!clock || clock->all_of([&](uint64_t key, uint32_t) { return keep(key); })) return clock;
  return std::make_shared<const VectorClock>(clock->filtered([&](uint64_t key, uint32_t) { return keep(key); }));
}
// All but the components from `first` to `last`; of these, those above `value` stay.
ClockPtr without(const ClockPtr& clock, uint64_t first, uint64_t last, uint32_t value = UINT32_MAX);
ClockPtr raised(const ClockPtr& clock, uint64_t key, uint32_t value);

}  // namespace cuco::vcluster
