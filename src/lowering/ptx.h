// Inline PTX to C++. Only instructions whose meaning the virtual cluster reproduces are translated; anything else is
// an error that names the instruction.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cuco::lowering {

struct PtxOperand {
  std::string expression;  // C++ text.
  std::string name;        // Of [name] operands; empty otherwise.
};

struct PtxStatement {
  std::string text;  // As in the asm string: %0, %[name], %%laneid.
  std::vector<PtxOperand> operands;
};

// A C++ statement without its final semicolon.
Result<std::string> translate_ptx(const PtxStatement& statement);

}  // namespace cuco::lowering
