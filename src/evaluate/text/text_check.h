// The first level of the cascade: is a candidate's text one that may be built at all? It must keep its parent's frozen
// text, and its evolve blocks may not contain what no honest kernel needs and cheats do: processes, files, clocks, the
// environment, names of the harness, macros that change frozen text. A name that is not on the list may still do harm;
// that is what the sandbox and the judge are for.
#pragma once

#include <vector>

#include "evaluate/text/evolve_blocks.h"
#include "evaluate/verdict.h"

namespace cuco::evaluate {

struct TextCheck {
  std::vector<SourceFile> parent;
  std::vector<SourceFile> candidate;  // The same files in the same order.
  bool rewritten = false;             // Made by cuco's own rewriter: frozen text differs, blocks are checked.
};

// Findings of kind frozen_text, marker or forbidden; none for a text that passes. A candidate that is its parent
// passes.
std::vector<Finding> check_text(const TextCheck& check);

}  // namespace cuco::evaluate
