// How much of the design space a run has seen: for every value of every dimension, how many candidates had it at some
// site and how fast the best of them was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/html.h"
#include "report/run_view.h"

namespace cuco::report {

struct ValueCoverage {
  std::string value;
  uint32_t tried = 0, passed = 0;
  std::optional<double> best_us;
};

struct DimensionCoverage {
  std::string dimension;
  std::vector<ValueCoverage> values;  // Every value there is, tried or not, in the space's order.
};

std::vector<DimensionCoverage> coverage_of(const RunView& view);

void write_coverage(Html& html, const RunView& view);

}  // namespace cuco::report
