// What a plan changes and why, in words.
#pragma once

#include <string>

#include "evolve/axes.h"
#include "evolve/proposer.h"

namespace cuco::evolve {

// "Changes placement to stream at s1 and ctas to 8, because one CTA cannot fill a fast link."
std::string intent_text(const space::Plan& before, const space::Plan& after, const std::string& reason);

// What the parent's critical path says for a move along this axis; ends the sentence "... because ".
std::string reason_to_move(Axis axis, const Member& parent);

}  // namespace cuco::evolve
