// What turns one text into another, in whole lines: a shortest script of deletions and insertions (Myers 1986, the
// variant in linear space).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"

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

// What a reader of the change has to look at. A line that gives way to another is changed.
struct LineCounts {
  size_t changed = 0, added = 0, removed = 0;

  bool operator==(const LineCounts&) const = default;
};

LineCounts count_changes(std::string_view before, std::string_view after);
// "1 line changed", "3 lines changed, 20 added, 2 removed"; "no line changed".
std::string to_text(const LineCounts& counts);

// As diff -u writes it, fit for patch; empty when the texts are equal.
std::string unified_diff(const SourceFile& before, const SourceFile& after, size_t context_lines = 3);

}  // namespace cuco
