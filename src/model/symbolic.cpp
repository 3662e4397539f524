#include "model/symbolic.h"

#include <algorithm>

namespace cuco::model {

namespace {

std::string parenthesised(const Symbolic& value) {
  std::string text = value.to_text();
  bool atom = text.find_first_of(" +-*/%") == std::string::npos;
  return atom ? text : "(" + text + ")";
}

}  // namespace

Symbolic Symbolic::constant(int64_t value) {
  Symbolic result;
  result.add({}, value);
  return result;
}

Symbolic Symbolic::unknown(std::string name, uint32_t version) {
  Symbolic result;
  result.add({Unknown{std::move(name), version}}, 1);
  return result;
}

// Coefficients wrap like the unsigned arithmetic of size_t; only equality and sign of small ones are ever used.
void Symbolic::add(const Monomial& monomial, int64_t coefficient) {
  int64_t& slot = terms_[monomial];
  slot = static_cast<int64_t>(static_cast<uint64_t>(slot) + static_cast<uint64_t>(coefficient));
  if (slot == 0) terms_.erase(monomial);
}

Symbolic operator+(const Symbolic& a, const Symbolic& b) {
  Symbolic sum = a;
  for (const auto& [monomial, coefficient] : b.terms_) sum.add(monomial, coefficient);
  return sum;
}

Symbolic operator-(const Symbolic& a, const Symbolic& b) { return a + Symbolic::constant(-1) * b; }

Symbolic operator*(const Symbolic& a, const Symbolic& b) {
  Symbolic product;
  for (const auto& [left, left_coefficient] : a.terms_)
    for (const auto& [right, right_coefficient] : b.terms_) {
      Symbolic::Monomial merged = left;
      merged.insert(merged.end(), right.begin(), right.end());
      std::sort(merged.begin(), merged.end());
      product.add(merged, static_cast<int64_t>(static_cast<uint64_t>(left_coefficient) *
                                               static_cast<uint64_t>(right_coefficient)));
    }
  return product;
}

Symbolic Symbolic::divided_by(const Symbolic& divisor) const {
  std::optional<int64_t> by = divisor.as_constant();
  if (by && *by != 0) {
    bool exact = std::all_of(terms_.begin(), terms_.end(), [&](const auto& term) { return term.second % *by == 0; });
    if (auto value = as_constant(); value && !(*value == INT64_MIN && *by == -1)) return constant(*value / *by);
    if (exact && *by > 0) {
      Symbolic quotient;
      for (const auto& [monomial, coefficient] : terms_) quotient.add(monomial, coefficient / *by);
      return quotient;
    }
  }
  return unknown(parenthesised(*this) + " / " + parenthesised(divisor));
}

Symbolic Symbolic::modulo(const Symbolic& divisor) const {
  std::optional<int64_t> value = as_constant();
  std::optional<int64_t> by = divisor.as_constant();
  if (value && by && *by > 0) return constant(*value % *by);
  return unknown(parenthesised(*this) + " % " + parenthesised(divisor));
}

std::optional<int64_t> Symbolic::as_constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

bool Symbolic::mentions(const std::string& name) const {
  for (const auto& [monomial, coefficient] : terms_)
    for (const Unknown& unknown : monomial)
      if (unknown.name == name) return true;
  return false;
}

bool Symbolic::is_never_negative() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.second >= 0; });
}

void Symbolic::append_term(std::string& text, const Monomial& monomial, int64_t coefficient) {
  bool negative = coefficient < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(coefficient) : static_cast<uint64_t>(coefficient);
  if (text.empty())
    text += negative ? "-" : "";
  else
    text += negative ? " - " : " + ";
  bool shown = magnitude != 1 || monomial.empty();
  if (shown) text += std::to_string(magnitude);
  for (const Unknown& unknown : monomial) {
    if (shown) text += "*";
    bool atom = monomial.size() + (magnitude != 1) == 1 || unknown.name.find(' ') == std::string::npos;
    text += atom ? unknown.name : "(" + unknown.name + ")";
    shown = true;
  }
}

// The constant comes last, as people write it.
std::string Symbolic::to_text() const {
  std::string text;
  for (const auto& [monomial, coefficient] : terms_)
    if (!monomial.empty()) append_term(text, monomial, coefficient);
  if (auto constant = terms_.find({}); constant != terms_.end()) append_term(text, {}, constant->second);
  return text.empty() ? "0" : text;
}

namespace {

// The gap from the end of a range to the start of a later one is provably not negative.
bool ends_before(const Symbolic& offset, const Symbolic& bytes, const Symbolic& later_offset) {
  return (later_offset - (offset + bytes)).is_never_negative();
}

}  // namespace

bool may_overlap(const Symbolic& offset_a, const Symbolic& bytes_a, const Symbolic& offset_b, const Symbolic& bytes_b) {
  if (bytes_a.as_constant() == 0 || bytes_b.as_constant() == 0) return false;
  return !ends_before(offset_a, bytes_a, offset_b) && !ends_before(offset_b, bytes_b, offset_a);
}

}  // namespace cuco::model
