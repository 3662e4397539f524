// Numbers of several runs as products of what the runs differ in: 4096, 16384 bytes at n = 64, 128 are n x n.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cuco::footprint {

// Names with their values in one run: parameters, "ranks", "grid.x". All runs have the same names.
using Symbols = std::vector<std::pair<std::string, int64_t>>;

// numerator / denominator x product of the factors, / one more.
template <typename Symbol>
struct Product {
  int64_t numerator = 0, denominator = 1;
  std::vector<Symbol> factors = {};
  std::optional<Symbol> divisor = {};

  bool is_zero() const { return numerator == 0; }
  bool is_whole() const { return denominator == 1 && !divisor; }
  bool is_constant() const { return factors.empty() && is_whole(); }
  bool operator==(const Product&) const = default;
};

// Of symbols by their index.
using Monomial = Product<size_t>;

// None when it is no whole number.
std::optional<int64_t> value_at(const Monomial& monomial, const Symbols& symbols);

Monomial constant(int64_t value);

// The simplest one that has these values; a run without a value says nothing. At most three factors. Extents of the
// grid, which come last among the names, are used only where nothing else will do.
std::optional<Monomial> explain(const std::vector<std::optional<int64_t>>& values, const std::vector<Symbols>& runs);

}  // namespace cuco::footprint
