#include "evolve/bandit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cuco::evolve {
namespace {

// What the machine time of an evaluation is worth, so that proposals that are free still cost something: half a minute
// of two rented cores is about this much.
constexpr double kEvaluationUsd = 0.001;
constexpr double kExploration = 0.5;

}  // namespace

void Bandit::record(const std::string& arm, double gain, double cost_usd) {
  Record& record = records_[arm];
  record.gain += std::max(gain, 0.0);
  record.cost += cost_usd + kEvaluationUsd;
  ++record.pulls;
}

double Bandit::rate(const std::string& arm) const {
  auto found = records_.find(arm);
  return found == records_.end() ? 0 : found->second.gain / found->second.cost;
}

std::vector<std::string> Bandit::order(const std::vector<std::string>& arms) const {
  double best_rate = 0, pulls = 0;
  for (const std::string& arm : arms) {
    best_rate = std::max(best_rate, rate(arm));
    if (auto found = records_.find(arm); found != records_.end()) pulls += found->second.pulls;
  }
  auto promise = [&](const std::string& arm) {
    auto found = records_.find(arm);
    if (found == records_.end()) return std::numeric_limits<double>::infinity();
    double value = best_rate > 0 ? rate(arm) / best_rate : 0;
    return value + kExploration * std::sqrt(2 * std::log(pulls) / found->second.pulls);
  };
  std::vector<std::string> ordered = arms;
  std::ranges::stable_sort(ordered, std::greater<>(), promise);
  return ordered;
}

}  // namespace cuco::evolve
