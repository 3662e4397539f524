// Moments get numbers, so that the record of an access needs only one: a segment is what the threads of a block do
// between two synchronisations that change what they know, or all that a copy, a collective or a put does. Numbers
// grow in the order in which segments come up and are never given twice.
#pragma once

#include <cstdint>
#include <vector>

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

  Segments() : all_(1) {}

  // 0, which stands for none, when the numbers are used up: what follows is not recorded.
  uint32_t add(const Segment& segment) {
    if (all_.size() >> kBits != 0) return 0;
    all_.push_back(segment);
    return next() - 1;
  }
  uint32_t next() const { return static_cast<uint32_t>(all_.size()); }
  const Segment& operator[](uint32_t number) const { return all_[number]; }

 private:
  std::vector<Segment> all_;
};

}  // namespace cuco::vcluster
