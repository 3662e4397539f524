#include "footprint/launch_relations.h"

#include <algorithm>

#include "base/assert.h"

namespace cuco::footprint {

namespace {

using model::TracedLaunch;
using model::TracedNumber;

std::string name_of(const LaunchNumber& number) { return number.dimension < 0 ? "argument" : "grid.extent"; }

bool is_same_launch(const TracedLaunch& a, const TracedLaunch& b) {
  return a.grid == b.grid && a.block == b.block && a.numbers == b.numbers;
}

}  // namespace

size_t count_others(const std::vector<const TracedLaunch*>& own, const std::vector<const TracedLaunch*>& further) {
  std::vector<const TracedLaunch*> seen = own;
  for (const TracedLaunch* launch : further)
    if (std::ranges::none_of(seen, [&](const TracedLaunch* one) { return is_same_launch(*one, *launch); }))
      seen.push_back(launch);
  return seen.size() - own.size();
}

bool have_same_arguments(const std::vector<const TracedLaunch*>& launches) {
  auto same = [](const TracedNumber& a, const TracedNumber& b) {
    return a.parameter == b.parameter && a.field == b.field;
  };
  return std::ranges::all_of(launches, [&](const TracedLaunch* launch) {
    return std::equal(launch->numbers.begin(), launch->numbers.end(), launches[0]->numbers.begin(),
                      launches[0]->numbers.end(), same);
  });
}

bool can_be_compared(const std::vector<const TracedLaunch*>& launches) {
  return have_same_arguments(launches) &&
         std::ranges::all_of(launches, [&](const TracedLaunch* one) { return one->block == launches[0]->block; });
}

LaunchRelations relations_of(const std::vector<const TracedLaunch*>& launches, int cut_dimension) {
  std::vector<int> dimensions;
  for (int other = 0; other < 3; other++)
    if (other != cut_dimension) dimensions.push_back(other);
  dimensions.push_back(cut_dimension);
  return LaunchRelations(launches, dimensions);
}

LaunchRelations::LaunchRelations(const std::vector<const TracedLaunch*>& launches, const std::vector<int>& dimensions)
    : values_(launches.size()) {
  CUCO_ASSERT(!launches.empty() && have_same_arguments(launches));
  auto add_each = [&](const LaunchNumber& number, auto value_in) {
    std::vector<int64_t> values;
    for (const TracedLaunch* launch : launches) values.push_back(value_in(*launch));
    add(number, values);
  };
  for (size_t i = 0; i < launches[0]->numbers.size(); i++) {
    const TracedNumber& number = launches[0]->numbers[i];
    add_each({number.parameter, number.field}, [&](const TracedLaunch& launch) { return launch.numbers[i].value; });
  }
  for (int dimension : dimensions)
    add_each({0, 0, dimension},
             [&](const TracedLaunch& launch) { return int64_t{launch.grid[static_cast<size_t>(dimension)]}; });
}

void LaunchRelations::add(const LaunchNumber& number, const std::vector<int64_t>& values) {
  if (std::optional<Term> term = explain({values.begin(), values.end()})) return relations_.push_back({number, *term});
  free_.push_back(number);
  for (size_t i = 0; i < values.size(); i++) values_[i].emplace_back(name_of(number), values[i]);
}

std::optional<Term> LaunchRelations::explain(const LaunchValues& values) const {
  std::optional<Monomial> found = footprint::explain(values, values_);
  if (!found) return std::nullopt;
  Term term{found->numerator, found->denominator};
  for (size_t factor : found->factors) term.factors.push_back(free_[factor]);
  if (found->divisor) term.divisor = free_[*found->divisor];
  return term;
}

LaunchGuard LaunchRelations::guard(const std::array<uint32_t, 3>& block) const {
  LaunchGuard guard{{}, block};
  for (const Relation& relation : relations_)
    if (relation.number.dimension >= 0 && relation.value.is_constant())
      guard.grid[static_cast<size_t>(relation.number.dimension)] = static_cast<uint32_t>(relation.value.numerator);
    else
      guard.relations.push_back(relation);
  return guard;
}

}  // namespace cuco::footprint
