#include "base/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace cuco {

namespace {

constexpr int kDigitsShown = 4;
constexpr int kDecimalsMax = 6;

}  // namespace

std::string with_decimals(double number, int count) {
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, "%.*f", count, number)), '\0');
  std::snprintf(text.data(), text.size() + 1, "%.*f", count, number);
  return text;
}

std::string rounded_text(double number) {
  if (!std::isfinite(number)) return "-";
  if (number == 0) return "0";
  int digits = static_cast<int>(std::floor(std::log10(std::fabs(number)))) + 1;
  return with_decimals(number, std::clamp(kDigitsShown - digits, 0, kDecimalsMax));
}

std::string duration(double us) {
  return us < 1000 ? concat(rounded_text(us), " us") : concat(rounded_text(us / 1000), " ms");
}

std::string factor(double ratio) { return concat(with_decimals(ratio, 2), "x"); }

std::string percent(double share, int decimals) { return concat(with_decimals(100 * share, decimals), " %"); }

std::string dollars(double usd, int decimals) { return concat("$", with_decimals(usd, decimals)); }

}  // namespace cuco
