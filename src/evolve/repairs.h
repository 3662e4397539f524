// Which rejected proposals go back to who made them. A repair is a candidate whose parent is the rejected one, so what
// is due follows from the members alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "evolve/proposer.h"

namespace cuco::evolve {

inline constexpr size_t kRepairsMax = 3;  // Of one proposal.

// The attempts at the first program whose repair is due, the latest last; empty: none is. `repairs` says of a proposer,
// by its name, whether it can be asked.
std::vector<const Member*> attempts_to_repair(const std::vector<Member>& members,
                                              const std::function<bool(const std::string&)>& repairs);

// The member itself, or the nearest one that it descends from, with a program.
const Member& nearest_program(const std::vector<Member>& members, const Member& member);

}  // namespace cuco::evolve
