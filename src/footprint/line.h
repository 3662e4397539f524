// A number that depends on the block, its rank and the round of a loop in the simplest way that still has edges:
// clamp(constant + sum of slope x coordinate, low, high).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cuco::footprint {

// Who touches: a block of the launch that a rank makes when it comes by a place for the round-th time.
struct Toucher {
  std::array<uint32_t, 3> block = {};
  uint64_t linear = 0;  // x first.
  uint32_t rank = 0;
  uint32_t round = 0;

  bool operator==(const Toucher&) const = default;
};

constexpr size_t kCoordinates = 5;
using Point = std::array<int64_t, kCoordinates>;

// Which coordinates a toucher has. Numbers are plain, or products of what runs differ in (form.h).
template <typename Number>
struct BasicBasis {
  Number divisor{};  // 0: x, y and z of the block. Otherwise its linear index b as b % divisor, b / divisor and 0.
  Number modulus{};  // 0: rank and round. Otherwise (rank_sign x rank + round_sign x round + shift) mod it, and 0.
  int rank_sign = 0, round_sign = 0;
  int64_t shift = 0;  // Less than 0: counted from the modulus.

  bool operator==(const BasicBasis&) const = default;
};
using Basis = BasicBasis<int64_t>;

Point point_of(const Basis& basis, const Toucher& toucher);

template <typename Number>
struct BasicLine {
  Number constant{};
  std::array<Number, kCoordinates> slopes{};
  std::optional<Number> low, high;  // Where the sum goes beyond them for some toucher.

  bool operator==(const BasicLine&) const = default;
};
using Line = BasicLine<int64_t>;

int64_t value_at(const Line& line, const Point& point);

struct PointValue {
  Point point = {};
  int64_t value = 0;
};

// The line through all points; none when there is none. A coordinate that does not vary gets the slope 0.
std::optional<Line> fit_line(const std::vector<PointValue>& values);

}  // namespace cuco::footprint
