// What numbers of profiles and workload files may be: far beyond any machine, and far from where times overflow or
// become zero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuco::model {

struct Range {
  std::string_view ending;  // Of the keys that it holds for.
  double least, most;

  // False for what is not a number.
  bool holds(double value) const { return value >= least && value <= most; }
  std::string text() const;  // "a number from 0.01 to 100".
  std::string whole_text() const;
};

// Of a key that a profile or workload file knows; any other is a bug.
const Range& range_of(std::string_view key);

}  // namespace cuco::model
