// What the loop and the group around a communication call are for.
#pragma once

#include <string_view>

#include "model/comm_graph.h"

namespace cuco::model {

// The innermost loop ranges over peers when the peer or root follows it, over chunks when the bytes do and never come
// back to earlier ones; a buffer that alternates is double buffering, not chunks.
LoopRole find_loop_role(const Program& program, Index operation);

// Of the sends and receives in the group around the operation; None outside of groups and for groups without any.
//   Ring      all sends go to one peer, all receives come from another, for every rank
//   AllToAll  sends and receives in a loop over peers
//   Gather    receives in a loop over peers, sends outside of it or none; Scatter the other way round
//   Pairwise  sends and receives with one and the same peer
GroupPattern find_group_pattern(const Program& program, Index operation);

// `name` occurs in the text as a whole identifier.
bool mentions_name(std::string_view text, std::string_view name);

}  // namespace cuco::model
