// Calls of the communication library in a program's text, and the directive that each states:
//   cuco::comm::send(cuco::comm::gin<1>.blocks(4).split(0).by_message(), ...)
// This is code, not a comment: the library does what these words say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/plan.h"

namespace cuco::rewrite {

struct CommCall {
  std::string site;  // "s1": the call's own, or the first of its group.
  space::Directive directive;
  uint32_t blocks = 1;
  uint32_t streams = 0;  // That must be there for the stream it names.
};

// In the order of the text. Calls that say elsewhere how they go are left out.
std::vector<CommCall> read_comm_calls(std::string_view text);

// "s1" of "exchange_for<1, cuco::comm::Lsa>", a kernel of the library; empty for any other.
std::string site_of_kernel(std::string_view kernel);
// The name of a kernel without its template's arguments, but with the site of one of the library.
std::string kernel_key(std::string_view kernel);

// The order that turned loops have; as written when there is none.
space::WorkOrder read_loop_order(std::string_view text);

// Who waits for what comes.
space::Waits read_waits(std::string_view text);

}  // namespace cuco::rewrite
