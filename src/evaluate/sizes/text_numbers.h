// The integers that a program's text states once and uses by name: values of constants, macros, enumerators and
// variables, defaults of options. Which of them scale the program is read from the text alone, by names: those that
// reach sizes of allocations, counts of communication and grids through definitions and calls. The text need not be
// right and names have no scopes, so this is where a search begins and nothing that may be relied on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/sizes/proof_size.h"
#include "evaluate/text/evolve_blocks.h"

namespace cuco::evaluate {

struct TextNumber {
  std::string name;
  int64_t value = 0;
  int line = 0;
  ConstantChange change;    // Without `after`.
  bool sizes = false;       // Reaches sizes, counts or grids,
  bool selects = false;     // template arguments, shared memory or the number of threads,
  bool repeats = false;     // bounds of loops on the host.
  std::string suffix = {};  // Of its literal: "UL".
};

// Of at least `least`, whose declaration stands in its file once. In the order of files and lines.
std::vector<TextNumber> text_numbers(const std::vector<SourceFile>& files, int64_t least);

// The largest literal that the files state as an argument, a value or a bound: "FILE:LINE: VALUE"; empty: none.
std::string largest_fixed_size(const std::vector<SourceFile>& files);

// An error when the text has no such declaration, or several.
Result<std::string> with_constant(const SourceFile& file, const ConstantChange& change);

}  // namespace cuco::evaluate
