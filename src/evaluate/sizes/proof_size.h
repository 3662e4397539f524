// The case is the size that the user runs; every time is of it. A proof size is a small one at which candidates are
// executed whole, under all checkers, and compared with the original.
#pragma once

#include <string>
#include <vector>

#include "evaluate/workload.h"

namespace cuco::evaluate {

// Another value for a number that the program's text states. It is found by its declaration, not by its line: other
// texts of the program have it elsewhere.
struct ConstantChange {
  std::string file;         // Its name below the program's folder; a source or a header.
  std::string declaration;  // The tokens before the value: "constexpr int HIDDEN =", "# define HIDDEN".
  std::string before;       // The tokens of the value: "7168", "7 * 1024", "7168".
  std::string after;        // "512".

  bool operator==(const ConstantChange&) const = default;
};

struct ProofSize {
  Configuration configuration;                 // That of the case with other parameters and arguments.
  std::vector<ConstantChange> constants = {};  // Of a plain program, in its baseline and in its candidates alike.
  std::string shrunk = {};  // "HIDDEN=512, TOKENS=256 (of 7168, 4096)"; empty: this is the case itself.

  bool operator==(const ProofSize&) const;  // In what the program is given.
};

}  // namespace cuco::evaluate
