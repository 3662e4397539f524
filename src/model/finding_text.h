// Findings as people read them: errors first, each for itself, then warnings, of which those of one kind are one line.
#pragma once

#include <string>
#include <vector>

namespace cuco::model {

struct ShownFinding {
  std::string severity;  // "error", or what is said before the kind.
  std::string kind;
  std::string whose;   // "ranks 0-3, seed 1", or empty.
  std::string text;    // One sentence with its places.
  std::string repeat;  // The command that shows it again, or empty.
};

// Without line ends. The command that repeats a finding stands in a line of its own behind the last that it repeats,
// indented. Of more than `errors_max` errors the others are counted.
std::vector<std::string> finding_lines(const std::vector<ShownFinding>& findings, size_t errors_max);

}  // namespace cuco::model
