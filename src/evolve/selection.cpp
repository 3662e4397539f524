#include "evolve/selection.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace cuco::evolve {
namespace {

double middle(std::vector<double>& numbers) {
  auto mid = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, mid);
  return *mid;
}

// Deviations from the median in units of the median deviation. Where most scores are equal there is no such unit, and
// any difference is a large one.
double normalised(double difference, double deviation) {
  if (difference == 0) return 0;
  if (deviation > 0) return difference / deviation;
  return difference > 0 ? 1 : -1;
}

std::vector<double> weighted(const std::vector<Contender>& ranked, double pressure) {
  std::vector<double> scores;
  for (const Contender& each : ranked) scores.push_back(each.score);
  double median = middle(scores);
  for (double& score : scores) score = std::abs(score - median);
  double deviation = middle(scores);
  std::vector<double> weights;
  for (const Contender& each : ranked) {
    double sigmoid = 1 / (1 + std::exp(-pressure * normalised(each.score - median, deviation)));
    weights.push_back(sigmoid / (1 + each.children));
  }
  return weights;
}

std::vector<double> power_law(size_t count) {
  std::vector<double> weights;
  for (size_t rank = 1; rank <= count; ++rank) weights.push_back(1 / static_cast<double>(rank));
  return weights;
}

std::vector<double> beam(const std::vector<Contender>& ranked) {
  auto end = ranked.begin() + static_cast<ptrdiff_t>(std::min(kBeamWidth, ranked.size()));
  auto least = std::min_element(ranked.begin(), end,
                                [](const Contender& a, const Contender& b) { return a.children < b.children; });
  std::vector<double> weights(ranked.size(), 0);
  weights[static_cast<size_t>(least - ranked.begin())] = 1;
  return weights;
}

}  // namespace

std::vector<double> selection_weights(Selection selection, const std::vector<Contender>& ranked, double pressure) {
  if (ranked.empty()) return {};
  if (selection == Selection::Weighted) return weighted(ranked, pressure);
  if (selection == Selection::PowerLaw) return power_law(ranked.size());
  if (selection == Selection::Beam) return beam(ranked);
  return std::vector<double>(ranked.size(), 1);
}

size_t draw_by_weight(const std::vector<double>& weights, Random& random) {
  double sum = 0;
  for (double weight : weights) sum += weight;
  CUCO_ASSERT(sum > 0);
  double left = random.unit() * sum;
  size_t last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return last;  // The sum was rounded up.
}

}  // namespace cuco::evolve
