// Input data as a pure function of (seed, rank, iteration, buffer, index), the same on every machine, so that baseline
// and candidate get equal inputs and no two ranks or iterations do.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuco/element.h"

namespace cuco {

struct Distribution {
  enum Kind : uint32_t { Uniform = 0, Normal = 1, Integers = 2 } kind;
  double a, b;
};
inline Distribution uniform(double low, double high) { return {Distribution::Uniform, low, high}; }
inline Distribution normal(double mean, double deviation) { return {Distribution::Normal, mean, deviation}; }
// Both ends included.
inline Distribution integers(int64_t least, int64_t most) {
  return {Distribution::Integers, static_cast<double>(least), static_cast<double>(most)};
}

struct DrawKey {
  uint64_t seed;
  uint32_t rank;
  uint32_t iteration;  // Warm-up iterations count from 0, timed ones go on from there.
  uint32_t buffer;     // In the order in which the program names its inputs.
};

namespace draw_detail {

CUCO_HOST_DEVICE inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
CUCO_HOST_DEVICE inline uint64_t base_of(const DrawKey& key) {
  uint64_t state = mix(key.seed + 0x9e3779b97f4a7c15u);
  state = mix(state ^ (static_cast<uint64_t>(key.rank) << 32 | key.iteration));
  return mix(state + 0x9e3779b97f4a7c15u * (key.buffer + 1));
}
CUCO_HOST_DEVICE inline double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// The sum of four uniforms, scaled to deviation 1: close to normal, bounded by 3.5 deviations, and made of exact
// operations only, unlike a logarithm, which differs between libraries.
CUCO_HOST_DEVICE inline double near_normal(uint64_t bits) {
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += static_cast<double>(bits >> (16 * i) & 0xffff) / 65536.0;
  return (sum - 2.0) * 1.7320508075688772;
}

}  // namespace draw_detail

CUCO_HOST_DEVICE inline double draw(const Distribution& distribution, uint64_t base, uint64_t index) {
  uint64_t bits = draw_detail::mix(base + 0x9e3779b97f4a7c15u * (index + 1));
  double span = distribution.b - distribution.a;
  switch (distribution.kind) {
    case Distribution::Uniform: return distribution.a + span * draw_detail::unit(bits);
    case Distribution::Normal: return distribution.a + distribution.b * draw_detail::near_normal(bits);
    case Distribution::Integers: return distribution.a + std::floor((span + 1) * draw_detail::unit(bits));
  }
  return 0;
}

// Fills host memory.
inline void draw_all(Element element, const Distribution& distribution, const DrawKey& key, void* memory,
                     uint64_t count) {
  uint64_t base = draw_detail::base_of(key);
  for (uint64_t i = 0; i < count; i++) store_element(element, memory, i, draw(distribution, base, i));
}

}  // namespace cuco
