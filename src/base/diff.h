// What turns one text into another, in whole lines: a shortest script of deletions and insertions (Myers 1986, the
// variant in linear space).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuco {

// Lines of `before` from before_begin on give way to those of `after` from after_begin on. One count may be 0.
struct LineChange {
  size_t before_begin = 0, before_count = 0;
  size_t after_begin = 0, after_count = 0;

  bool operator==(const LineChange&) const = default;
};

// In order; lines between changes are equal.
std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after);

struct NamedText {
  std::string_view name, text;
};

// As diff -u writes it, fit for patch; empty when the texts are equal.
std::string unified_diff(const NamedText& before, const NamedText& after, size_t context_lines = 3);

}  // namespace cuco
