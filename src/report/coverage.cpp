#include "report/coverage.h"

#include <algorithm>
#include <set>

#include "base/number_text.h"
#include "base/text.h"
#include "space/directive.h"

namespace cuco::report {

namespace {

constexpr int kHeatMax = 5;  // The style sheet has heat0 to heat5.

using Value = std::pair<std::string, std::string>;  // Dimension and value.

std::vector<DimensionCoverage> whole_space() {
  std::vector<DimensionCoverage> dimensions;
  for (space::Dimension dimension : space::kDimensions) {
    DimensionCoverage coverage{std::string(space::name_of(dimension)), {}};
    for (size_t i = 0; i < space::value_count(dimension); i++) {
      space::Directive directive;
      space::set_value(directive, dimension, i);
      coverage.values.push_back({space::value_text(directive, dimension), 0, 0, std::nullopt});
    }
    dimensions.push_back(std::move(coverage));
  }
  return dimensions;
}

// Every value counts once for a candidate, however many sites have it.
std::set<Value> values_of(const space::Plan& plan) {
  std::set<Value> values;
  for (const space::SiteChoice& choice : plan.choices)
    for (space::Dimension dimension : space::kDimensions)
      values.emplace(space::name_of(dimension), space::value_text(choice.directive, dimension));
  for (const std::string& word : split(space::to_text(plan.schedule), ' '))
    if (size_t equals = word.find('='); equals != word.npos)
      values.emplace(word.substr(0, equals), word.substr(equals + 1));
  return values;
}

// Values that no ladder has (a chunk of 2 KiB, 3 CTAs) are added where they first occur.
ValueCoverage& find(std::vector<DimensionCoverage>& dimensions, const Value& value) {
  auto dimension = std::find_if(dimensions.begin(), dimensions.end(),
                                [&](const DimensionCoverage& each) { return each.dimension == value.first; });
  if (dimension == dimensions.end()) dimension = dimensions.insert(dimensions.end(), {value.first, {}});
  auto found = std::find_if(dimension->values.begin(), dimension->values.end(),
                            [&](const ValueCoverage& each) { return each.value == value.second; });
  if (found == dimension->values.end())
    found = dimension->values.insert(dimension->values.end(), {value.second, 0, 0, std::nullopt});
  return *found;
}

// From 0 for what never passed to kHeatMax for the best time of the run.
int heat_of(const ValueCoverage& value, double best_us, double worst_us) {
  if (!value.best_us) return 0;
  double share = worst_us > best_us ? (worst_us - *value.best_us) / (worst_us - best_us) : 1;
  return 1 + static_cast<int>(std::clamp(share, 0.0, 1.0) * (kHeatMax - 1));
}

void write_value(Html& html, const ValueCoverage& value, double best_us, double worst_us) {
  std::string kind = value.tried == 0 ? "untried" : concat("heat", heat_of(value, best_us, worst_us));
  html.open("td", {{"class", kind}});
  html.element("b", value.value).leaf("br");
  if (value.tried == 0)
    html.text("not tried");
  else
    html.text(concat(value.passed, " of ", value.tried, " passed"));
  if (value.best_us) html.leaf("br").text(concat("best ", duration(*value.best_us)));
  html.close();
}

}  // namespace

std::vector<DimensionCoverage> coverage_of(const RunView& view) {
  std::vector<DimensionCoverage> dimensions = whole_space();
  for (const Entry& entry : view.entries) {
    if (!entry.plan || entry.judgement() == nullptr) continue;
    for (const Value& each : values_of(*entry.plan)) {
      ValueCoverage& value = find(dimensions, each);
      value.tried++;
      std::optional<double> us = entry.time_us();
      if (!us) continue;
      value.passed++;
      value.best_us = std::min(value.best_us.value_or(*us), *us);
    }
  }
  return dimensions;
}

void write_coverage(Html& html, const RunView& view) {
  std::vector<DimensionCoverage> dimensions = coverage_of(view);
  std::vector<double> times;
  for (const DimensionCoverage& dimension : dimensions)
    for (const ValueCoverage& value : dimension.values)
      if (value.best_us) times.push_back(*value.best_us);
  double best_us = times.empty() ? 0 : *std::min_element(times.begin(), times.end());
  double worst_us = times.empty() ? 0 : *std::max_element(times.begin(), times.end());
  for (const DimensionCoverage& dimension : dimensions) {
    html.open("table", {{"class", "heat"}}).open("tr").element("th", dimension.dimension);
    for (const ValueCoverage& value : dimension.values) write_value(html, value, best_us, worst_us);
    html.close().close();
  }
}

}  // namespace cuco::report
