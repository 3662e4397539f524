#include "footprint/line.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace cuco::footprint {

namespace {

using Votes = std::map<int64_t, size_t>;

// The value with most votes, the smallest of several.
int64_t winner(const Votes& votes) {
  int64_t best = 0;
  size_t most = 0;
  for (const auto& [value, count] : votes)
    if (count > most) best = value, most = count;
  return best;
}

bool differ_only_in(const Point& a, const Point& b, size_t coordinate) {
  for (size_t i = 0; i < kCoordinates; i++)
    if (i != coordinate && a[i] != b[i]) return false;
  return true;
}

// The steepest step between neighbours: steps that a bound cuts short are smaller.
int64_t slope_along(std::vector<PointValue> values, size_t coordinate) {
  auto key = [coordinate](const PointValue& each) {
    Point rotated = each.point;
    std::rotate(rotated.begin() + static_cast<long>(coordinate), rotated.begin() + static_cast<long>(coordinate) + 1,
                rotated.end());
    return rotated;
  };
  std::ranges::sort(values, [&](const PointValue& a, const PointValue& b) { return key(a) < key(b); });
  int64_t steepest = 0;
  for (size_t i = 1; i < values.size(); i++) {
    const PointValue &before = values[i - 1], &after = values[i];
    int64_t distance = after.point[coordinate] - before.point[coordinate], rise = after.value - before.value;
    if (distance == 0 || rise % distance != 0) continue;
    if (!differ_only_in(before.point, after.point, coordinate)) continue;
    if (std::abs(rise / distance) > std::abs(steepest)) steepest = rise / distance;
  }
  return steepest;
}

int64_t sum_at(const Line& line, const Point& point) {
  int64_t sum = line.constant;
  for (size_t i = 0; i < kCoordinates; i++) sum += line.slopes[i] * point[i];
  return sum;
}

bool goes_through(const Line& line, const std::vector<PointValue>& values) {
  return std::ranges::all_of(values, [&](const PointValue& each) { return value_at(line, each.point) == each.value; });
}

}  // namespace

Point point_of(const Basis& basis, const Toucher& toucher) {
  Point point = {};
  auto linear = static_cast<int64_t>(toucher.linear);
  if (basis.divisor == 0)
    for (size_t i = 0; i < 3; i++) point[i] = toucher.block[i];
  else
    point[0] = linear % basis.divisor, point[1] = linear / basis.divisor;
  if (basis.modulus == 0) {
    point[3] = toucher.rank;
    point[4] = toucher.round;
    return point;
  }
  int64_t sum = basis.rank_sign * int64_t{toucher.rank} + basis.round_sign * int64_t{toucher.round} + basis.shift;
  point[3] = (sum % basis.modulus + basis.modulus) % basis.modulus;
  return point;
}

int64_t value_at(const Line& line, const Point& point) {
  int64_t sum = sum_at(line, point);
  if (line.low) sum = std::max(sum, *line.low);
  if (line.high) sum = std::min(sum, *line.high);
  return sum;
}

std::optional<Line> fit_line(const std::vector<PointValue>& values) {
  Line line;
  if (values.empty()) return line;
  for (size_t i = 0; i < kCoordinates; i++) line.slopes[i] = slope_along(values, i);
  Votes constants;
  for (const PointValue& each : values) constants[each.value - sum_at(line, each.point)]++;
  line.constant = winner(constants);
  int64_t sum_min = INT64_MAX, sum_max = INT64_MIN, value_min = INT64_MAX, value_max = INT64_MIN;
  for (const PointValue& each : values) {
    int64_t sum = sum_at(line, each.point);
    sum_min = std::min(sum_min, sum), sum_max = std::max(sum_max, sum);
    value_min = std::min(value_min, each.value), value_max = std::max(value_max, each.value);
  }
  if (sum_min < value_min) line.low = value_min;
  if (sum_max > value_max) line.high = value_max;
  return goes_through(line, values) ? std::optional(line) : std::nullopt;
}

}  // namespace cuco::footprint
