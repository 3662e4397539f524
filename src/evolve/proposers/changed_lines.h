// What differs between two texts, by lines, for a reader who knows the first one.
#pragma once

#include <string>
#include <vector>

namespace cuco::evolve {

struct ChangedLines {
  size_t count = 0;                // Lines taken out and put in.
  std::vector<std::string> shown;  // "- line" and "+ line" in order, "@ line 12" before each run of them.
};

// Line numbers are those of `before`. Texts that are too long to be aligned differ as one run.
ChangedLines changed_lines(const std::string& before, const std::string& after);

}  // namespace cuco::evolve
