// Calls of the section in a program's text, and the directive that each states:
//   device_comm::send({s1_exchange, 4, device_comm::Reach::Gin, {device_comm::Placement::Split, 0, true}}, ...)
// This is code, not a comment: the section does what these words say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/plan.h"

namespace cuco::rewrite {

struct SectionCall {
  std::string kernel;  // Without "_for" behind the kernels of reductions.
  space::Directive directive;
  uint32_t blocks = 1;
  uint32_t lanes = 0;  // That must be there for the lane it names.
};

// In the order of the text. Calls whose first argument is not written out are left out.
std::vector<SectionCall> read_section_calls(std::string_view text);

// The order that turned loops have; as written when there is none.
space::WorkOrder read_loop_order(std::string_view text);

// Who waits for what comes.
space::Waits read_waits(std::string_view text);

}  // namespace cuco::rewrite
