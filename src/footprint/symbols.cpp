#include "footprint/symbols.h"

#include <algorithm>
#include <numeric>

namespace cuco::footprint {

namespace {

constexpr size_t kFactorsMax = 3;
__extension__ using Wide = __int128;

struct Ratio {
  Wide product = 1, divisor = 1;
};

Ratio ratio_of(const Monomial& monomial, const Symbols& symbols) {
  Ratio ratio;
  for (size_t factor : monomial.factors) ratio.product *= symbols[factor].second;
  if (monomial.divisor) ratio.divisor = symbols[*monomial.divisor].second;
  return ratio;
}

// Gives the monomial the factor that the first value asks for, and tells whether the others agree.
bool scale_to(const std::vector<std::optional<int64_t>>& values, const std::vector<Symbols>& runs, Monomial& monomial) {
  bool is_scaled = false;
  for (size_t i = 0; i < values.size(); i++) {
    if (!values[i]) continue;
    Ratio ratio = ratio_of(monomial, runs[i]);
    if (ratio.product == 0 || ratio.divisor == 0) return false;
    Wide top = Wide{*values[i]} * ratio.divisor;
    if (!is_scaled) {
      if (top > INT64_MAX || top < INT64_MIN || ratio.product > INT64_MAX) return false;
      int64_t common = std::gcd(static_cast<int64_t>(top), static_cast<int64_t>(ratio.product));
      monomial.numerator = static_cast<int64_t>(top) / common;
      monomial.denominator = static_cast<int64_t>(ratio.product) / common;
      is_scaled = true;
    } else if (top * monomial.denominator != ratio.product * monomial.numerator) {
      return false;
    }
  }
  return is_scaled;
}

// All ways to choose `count` symbols in ascending order, from `first` on.
void choose(size_t count, size_t first, size_t end, std::vector<size_t>& chosen,
            std::vector<std::vector<size_t>>& all) {
  if (count == 0) return all.push_back(chosen);
  for (size_t i = first; i < end; i++) {
    chosen.push_back(i);
    choose(count - 1, i + 1, end, chosen, all);
    chosen.pop_back();
  }
}

std::vector<std::vector<size_t>> choices_of(size_t count, size_t end) {
  std::vector<size_t> chosen;
  std::vector<std::vector<size_t>> all;
  choose(count, 0, end, chosen, all);
  return all;
}

// The simplest that uses the first `names` symbols only.
std::optional<Monomial> explain_by(size_t names, const std::vector<std::optional<int64_t>>& values,
                                   const std::vector<Symbols>& runs) {
  for (size_t count = 0; count <= kFactorsMax; count++)
    for (bool divided : {false, true})
      for (const std::vector<size_t>& factors : choices_of(count, names))
        for (size_t divisor = 0; divisor < (divided ? names : 1); divisor++) {
          Monomial each{0, 1, factors, divided ? std::optional(divisor) : std::nullopt};
          if (scale_to(values, runs, each)) return each;
        }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> value_at(const Monomial& monomial, const Symbols& symbols) {
  Ratio ratio = ratio_of(monomial, symbols);
  Wide top = ratio.product * monomial.numerator, bottom = ratio.divisor * monomial.denominator;
  if (bottom == 0 || top % bottom != 0) return std::nullopt;
  return static_cast<int64_t>(top / bottom);
}

Monomial constant(int64_t value) { return {value, 1, {}, std::nullopt}; }

std::optional<Monomial> explain(const std::vector<std::optional<int64_t>>& values, const std::vector<Symbols>& runs) {
  if (runs.empty()) return std::nullopt;
  const Symbols& all = runs.front();
  auto grid = std::ranges::find_if(all, [](const auto& each) { return each.first.starts_with("grid."); });
  auto without_grid = static_cast<size_t>(grid - all.begin());
  if (std::optional<Monomial> found = explain_by(without_grid, values, runs)) return found;
  return without_grid == all.size() ? std::nullopt : explain_by(all.size(), values, runs);
}

}  // namespace cuco::footprint
