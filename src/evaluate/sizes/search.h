// The search for small sizes of a program, over its numbers alone: who tries a size stands behind a function. Numbers
// are first divided together by one power of two, as large as it can be, so that divisibilities and ratios stay; then
// one by one; what turns out not to scale the program gets its own value back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cuco::evaluate {

using SizeValues = std::vector<int64_t>;  // Of all numbers, in one order.

struct TriedSize {
  std::string fault;        // What the program does there that it does not at the case; empty: the same.
  uint64_t operations = 0;  // Of its region.
  bool too_large = false;   // It came to a limit, as larger sizes will.
  bool builds = true;       // False: most likely what was changed together does not go together, at any size.
};
using TrySize = std::function<TriedSize(const SizeValues&)>;

// No number gets smaller than this, and smaller ones stay: counts of a few things are no sizes.
constexpr int64_t kLeastValue = 8;

struct SizeSearch {
  SizeValues of_case;
  std::vector<std::vector<size_t>> groups;  // Numbers that may be shrunk together, in the order to try them in.
  std::vector<size_t> repeats;              // Numbers that say how often; they are cut last.
  uint64_t operations_goal = 0;             // A size with no more is small enough.
  uint32_t tries_max = 0;
};

struct FoundSizes {
  std::vector<SizeValues> sizes;  // The smallest first, then others around it; empty: none.
  std::string fault;              // Then: of the last size that was tried,
  SizeValues tried;               // which is this; may be empty.
};

// `sizes` has the case itself first when that is small enough, which `case_operations` tells.
FoundSizes find_sizes(const SizeSearch& search, uint64_t case_operations, const TrySize& try_size);

// The numbers divided by 2^exponent: exactly, or as nearly as their powers of two allow. None falls below kLeastValue.
SizeValues divided(const SizeValues& values, const std::vector<size_t>& numbers, int exponent);

// Sizes around the given one, by kind: numbers half as large again, odd numbers, doubled ones; in each kind all of
// `numbers` together, then each by itself.
std::vector<std::vector<SizeValues>> sizes_around(const SizeValues& values, const std::vector<size_t>& numbers);

}  // namespace cuco::evaluate
