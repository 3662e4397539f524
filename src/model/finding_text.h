// Findings as people read them: errors first, each for itself, then warnings, of which those of one kind are one line.
#pragma once

#include <string>
#include <vector>

#include "model/source.h"

namespace cuco::model {

struct ShownFinding {
  Severity severity = Severity::Error;
  std::string kind;
  std::string whose;   // "ranks 0-3, seed 1", or empty.
  std::string text;    // One sentence with its places.
  std::string repeat;  // The command that shows it again, or empty.
};

// Without line ends. The command that repeats a finding stands in a line of its own behind the last that it repeats,
// indented. Of more than `errors_max` errors the others are counted.
std::vector<std::string> finding_lines(const std::vector<ShownFinding>& findings, size_t errors_max);

}  // namespace cuco::model
