// The only source of randomness in cuco: every draw follows from a seed that the caller passes in and a failure prints.
// The standard's distributions differ between libraries, so results would not repeat across machines.
#pragma once

#include <cstdint>
#include <vector>

#include "base/assert.h"

namespace cuco {

// SplitMix64: 64 bits of state, good enough for search and schedules, never for secrets.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound). Rejection keeps it exact for bounds that are not powers of two.
  uint64_t below(uint64_t bound) {
    CUCO_ASSERT(bound > 0);
    uint64_t threshold = (0 - bound) % bound;
    uint64_t draw = next();
    while (draw < threshold) draw = next();
    return draw % bound;
  }

  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }

  template <typename T>
  const T& pick(const std::vector<T>& choices) {
    CUCO_ASSERT(!choices.empty());
    return choices[below(choices.size())];
  }

  uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace cuco
