// Integer expressions as the source states them: polynomials with integer coefficients over named unknowns. They answer
// whether two byte ranges of a buffer can overlap when sizes are known only by name: [i*n, i*n + n) and [i*n + n, ...).
// What is not a polynomial (a division, a call) becomes an unknown whose name is its text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cuco::model {

class Symbolic {
 public:
  Symbolic() = default;  // Zero.
  static Symbolic constant(int64_t value);
  // `version` tells apart the values that one variable has over time; it is not printed.
  static Symbolic unknown(std::string name, uint32_t version = 0);

  friend Symbolic operator+(const Symbolic& a, const Symbolic& b);
  friend Symbolic operator-(const Symbolic& a, const Symbolic& b);
  friend Symbolic operator*(const Symbolic& a, const Symbolic& b);

  // Exact when both are constant or the divisor divides every coefficient; an unknown otherwise. Divisor 0 is unknown.
  Symbolic divided_by(const Symbolic& divisor) const;
  Symbolic modulo(const Symbolic& divisor) const;

  std::optional<int64_t> as_constant() const;
  // Proven for every value of the unknowns, which count as sizes and so are not negative themselves.
  bool is_never_negative() const;
  bool mentions(const std::string& name) const;
  std::string to_text() const;
  bool operator==(const Symbolic&) const = default;

 private:
  struct Unknown {
    std::string name;
    uint32_t version = 0;
    auto operator<=>(const Unknown&) const = default;
  };
  using Monomial = std::vector<Unknown>;  // Sorted; empty for the constant term.

  void add(const Monomial& monomial, int64_t coefficient);
  static void append_term(std::string& text, const Monomial& monomial, int64_t coefficient);

  std::map<Monomial, int64_t> terms_;  // No zero coefficients.
};

// Half-open byte ranges [offset, offset + bytes) of one buffer. Unknowns count as sizes: they are not negative.
// True unless the expressions prove that the ranges cannot meet.
bool may_overlap(const Symbolic& offset_a, const Symbolic& bytes_a, const Symbolic& offset_b, const Symbolic& bytes_b);

}  // namespace cuco::model
