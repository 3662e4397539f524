// Changes to source texts, by byte range. Passes add them in any order; they are applied together, so that every range
// speaks of the text as the front end saw it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "rewrite/words.h"

namespace cuco::rewrite {

struct Source {
  std::string path;
  std::string text;
};

struct Edit {
  Index file = model::kNone;    // Into the program's files, and the sources in the same order.
  uint32_t begin = 0, end = 0;  // Equal for an insertion. Insertions at one place keep the order of adding.
  std::string text;
};

class Edits {
 public:
  void replace(Index file, uint32_t begin, uint32_t end, std::string text);
  void insert(Index file, uint32_t at, std::string text) { replace(file, at, at, std::move(text)); }

  bool touches(Index file) const;
  // The first byte that is changed in the file.
  uint32_t first_byte(Index file) const;
  bool empty() const { return edits_.empty(); }

  // An error names two changes that overlap: two passes want the same text.
  Result<std::vector<Source>> apply(std::vector<Source> sources) const;

 private:
  std::vector<Edit> edits_;  // Without duplicates: several call paths lead to one call.
};

}  // namespace cuco::rewrite
