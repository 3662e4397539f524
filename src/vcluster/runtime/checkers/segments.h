// Moments get numbers, so that the record of an access needs only one: a segment is what the threads of a block do
// between two synchronisations that change what they know, or all that a copy, a collective or a put does. Numbers
// grow in the order in which segments come up and are never given twice.
#pragma once

#include <cstdint>

#include "vcluster/runtime/checkers/kept_numbers.h"

namespace cuco::vcluster {

struct Segment {
  uint32_t actor = 0;
  uint32_t block = 0;
  uint32_t clock = 0;
  uint32_t interval = 0;  // Block barriers passed.
};

class Segments {
 public:
  static constexpr unsigned kBits = 28;

  Segments() { all_.add({}); }

  // 0, which stands for none, when the numbers are used up: what follows is not recorded.
  uint32_t add(const Segment& segment) { return all_.size() >> kBits != 0 ? 0 : all_.add(segment); }
  uint32_t next() const { return all_.size(); }
  const Segment& operator[](uint32_t number) const { return all_[number]; }

  // False: it was given back, so its actor is retired.
  bool has(uint32_t number) const { return all_.has(number); }
  // Gives back those of actors for which is_retired(actor) holds.
  template <class IsRetired>
  void release(IsRetired is_retired) {
    all_.release([&](const Segment& segment) { return !is_retired(segment.actor); });
  }

 private:
  KeptNumbers<Segment, 4096> all_;
};

}  // namespace cuco::vcluster
