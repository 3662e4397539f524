// Input data as a pure function of (key of the rank, iteration, buffer, index), the same on every machine, so that
// baseline and candidate get equal inputs and no two ranks or iterations do. Whoever sees all of a buffer learns nothing
// about another one: between them stands a keyed hash.
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

// Of one rank in one run. Keys of two ranks have nothing in common.
struct RankKey {
  uint64_t low = 0, high = 0;
};

struct DrawKey {
  RankKey rank;
  uint32_t iteration;  // Warm-up iterations count from 0, timed ones go on from there.
  uint32_t buffer;     // In the order in which the program names its inputs.
};

namespace draw_detail {

CUCO_HOST_DEVICE inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

struct SipHash {
  uint64_t a, b, c, d;

  CUCO_HOST_DEVICE static uint64_t rotate(uint64_t word, int by) { return word << by | word >> (64 - by); }
  CUCO_HOST_DEVICE void round() {
    a += b, b = rotate(b, 13) ^ a, a = rotate(a, 32);
    c += d, d = rotate(d, 16) ^ c;
    a += d, d = rotate(d, 21) ^ a;
    c += b, b = rotate(b, 17) ^ c, c = rotate(c, 32);
  }
  CUCO_HOST_DEVICE void take(uint64_t word) {
    d ^= word;
    round(), round();
    a ^= word;
  }
  CUCO_HOST_DEVICE uint64_t end() {
    c ^= 0xff;
    round(), round(), round(), round();
    return a ^ b ^ c ^ d;
  }
};

// SipHash-2-4 of the eight bytes that name iteration and buffer.
CUCO_HOST_DEVICE inline uint64_t base_of(const DrawKey& key) {
  SipHash hash = {key.rank.low ^ 0x736f6d6570736575u, key.rank.high ^ 0x646f72616e646f6du,
                  key.rank.low ^ 0x6c7967656e657261u, key.rank.high ^ 0x7465646279746573u};
  hash.take(static_cast<uint64_t>(key.iteration) << 32 | key.buffer);
  hash.take(uint64_t{8} << 56);
  return hash.end();
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
