// What the operands of inline PTX are used for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/program.h"

namespace cuco::frontend {

struct AsmAccess {
  uint32_t operand = 0;
  model::Access access = model::Access::None;
  bool assumed = false;  // The instruction is not known; the access is the worst it can be.

  bool operator==(const AsmAccess&) const = default;
};

struct AsmFacts {
  std::vector<AsmAccess> accesses;  // One per operand in brackets, in order.
  bool block_barrier = false;
};

// `text` is the asm's template with operands as %0, %1, ...
AsmFacts read_asm(std::string_view text);

}  // namespace cuco::frontend
