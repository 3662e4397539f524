// What a model proposed, read from its reply: what it intends, its plan, then its code.
//   INTENT: one sentence
//   PLAN:
//   s1 gin/split/peer-signal/cta/whole
//   schedule order=remote-first
//
//   BLOCK: 2
//   ```cuda
//   ...
//   ```
// The plan has the form of space/plan.h, names every site of the program, and ends at an empty line or where code
// begins; it may stand in a fence. The code is blocks of the program, whole, or what reply.h takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/editable_program.h"
#include "base/result.h"
#include "space/plan.h"

namespace cuco::agent {

struct StatedProposal {
  std::string intent;  // One line; empty when the reply has none.
  space::Plan plan;    // In the order of the sites.
  ProgramText program;
};

// An error is one sentence that says what is wrong with the reply and what would be right. Whether frozen text was kept
// is not looked at here. Without `sites` any are taken.
Result<StatedProposal> read_proposal(const EditableProgram& program, const std::vector<std::string>& sites,
                                     std::string_view reply);

// The plan alone, of a reply whose code may be wrong.
Result<space::Plan> read_stated_plan(const std::vector<std::string>& sites, std::string_view reply);

}  // namespace cuco::agent
