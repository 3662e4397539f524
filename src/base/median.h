#pragma once

#include <algorithm>
#include <vector>

#include "base/assert.h"

namespace cuco {

// Of an even number of values the mean of both middle ones. There must be some.
inline double median(std::vector<double> values) {
  CUCO_ASSERT(!values.empty());
  std::ranges::sort(values);
  size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace cuco
