// What a user has to read of a rewritten program: lines that are new or changed in the program's own files.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace cuco {

// Lines of `after` that are not lines of `before` in the same order.
inline size_t new_lines(const std::string& before, const std::string& after) {
  std::vector<std::string> old_lines = split(before, '\n'), lines = split(after, '\n');
  std::vector<size_t> common(lines.size() + 1, 0);
  for (const std::string& old_line : old_lines) {
    size_t diagonal = 0;
    for (size_t i = 0; i < lines.size(); i++) {
      size_t above = common[i + 1];
      common[i + 1] = old_line == lines[i] ? diagonal + 1 : std::max(above, common[i]);
      diagonal = above;
    }
  }
  return lines.size() - common.back();
}

}  // namespace cuco
