#include "model/site_shape.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

bool is_point_to_point(Collective collective) {
  return collective == Collective::Send || collective == Collective::Recv;
}

bool is_inside_group(const Program& program, Index loop, const CommunicateDetail& detail) {
  if (detail.group >= program.operations.size()) return false;
  std::vector<Index> around_group = enclosing_loops(program, program.operations[detail.group]);
  return std::find(around_group.begin(), around_group.end(), loop) == around_group.end();
}

bool ranges_over_peers(const Program& program, const Operation& operation) {
  const CommunicateDetail& detail = *operation.communicate;
  const Loop& loop = program.loops[operation.loop];
  if (mentions_name(detail.root_or_peer, loop.induction)) return true;
  // The peer may be a variable computed from the induction. A loop inside a group cannot be one over time, so when it
  // runs as often as there are ranks it runs over them.
  if (!is_point_to_point(detail.collective) || !is_inside_group(program, operation.loop, detail)) return false;
  if (detail.communicator >= program.communicators.size()) return false;
  std::string rank_count = without_blanks(program.communicators[detail.communicator].rank_count);
  return !rank_count.empty() && without_blanks(loop.limit).ends_with(rank_count);
}

// One thread that drives all GPUs must group its calls, one per communicator that ncclCommInitAll made.
bool ranges_over_ranks(const Program& program, const Operation& operation) {
  const CommunicateDetail& detail = *operation.communicate;
  if (detail.communicator >= program.communicators.size()) return false;
  return program.communicators[detail.communicator].origin == CommunicatorOrigin::InitAll &&
         is_inside_group(program, operation.loop, detail);
}

// Where the operation's first operand lies, per iteration of the innermost loop, for the first pass through the others.
std::vector<std::pair<Index, Symbolic>> first_operands(const Program& program, Index operation) {
  std::vector<std::pair<Index, Symbolic>> operands;
  const std::vector<uint32_t>* first = nullptr;
  for (const Step& step : program.steps) {
    if (step.operation != operation || step.regions.empty() || step.iterations.empty()) continue;
    if (!first) first = &step.iterations;
    bool same_pass = std::equal(first->begin(), first->end() - 1, step.iterations.begin(), step.iterations.end() - 1);
    if (same_pass) operands.emplace_back(step.regions[0].buffer, step.regions[0].offset_bytes);
  }
  return operands;
}

bool has_repetition(const std::vector<std::pair<Index, Symbolic>>& operands) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (std::find(operands.begin() + i + 1, operands.end(), operands[i]) != operands.end()) return true;
  return false;
}

// An expression that grows with the induction, not one that wraps around as the index of a double buffer does.
bool grows_with(const std::string& text, const std::string& induction) {
  return mentions_name(text, induction) && text.find_first_of("%^&") == std::string::npos;
}

bool mentions_induction(const Program& program, Index operation, const std::string& induction) {
  if (grows_with(program.operations[operation].communicate->count, induction)) return true;
  for (const Step& step : program.steps) {
    if (step.operation != operation) continue;
    for (const Region& region : step.regions)
      if (grows_with(region.through, induction) || grows_with(region.offset_bytes.to_text(), induction)) return true;
  }
  return false;
}

bool ranges_over_chunks(const Program& program, Index operation) {
  std::vector<std::pair<Index, Symbolic>> operands = first_operands(program, operation);
  if (has_repetition(operands)) return false;
  const Loop& loop = program.loops[program.operations[operation].loop];
  if (mentions_induction(program, operation, loop.induction)) return true;
  bool one_buffer =
      std::all_of(operands.begin(), operands.end(), [&](auto& o) { return o.first == operands[0].first; });
  // Two iterations cannot tell chunks from a double buffer.
  return one_buffer && operands.size() > 2;
}

// The sends or receives of a group.
struct Side {
  std::set<std::string> peers;
  size_t in_peer_loop = 0;
  size_t count = 0;
  bool conditional = false;  // Some ranks may leave it out.

  bool in_loop() const { return count > 0 && in_peer_loop == count; }
  bool outside_loop() const { return in_peer_loop == 0; }
};

struct Members {
  Side sends;
  Side receives;
  size_t others = 0;
};

Members members_of(const Program& program, Index group) {
  Members members;
  for (Index index = 0; index < program.operations.size(); ++index) {
    const Operation& operation = program.operations[index];
    if (!operation.communicate || operation.communicate->group != group) continue;
    Collective collective = operation.communicate->collective;
    if (!is_point_to_point(collective)) ++members.others;
    if (!is_point_to_point(collective)) continue;
    Side& side = collective == Collective::Send ? members.sends : members.receives;
    ++side.count;
    side.peers.insert(without_blanks(operation.communicate->root_or_peer));
    side.in_peer_loop += find_loop_role(program, index) == LoopRole::Peers;
    side.conditional |= !runs_whenever(operation, program.operations[group]);
  }
  return members;
}

// "rank + 1" without a wrap ends at the last rank; a name or a wrapped expression is taken to close the ring.
bool closes_ring(const std::string& peer) {
  return peer.find_first_of("%?&") != std::string::npos || peer.find_first_of("+-") == std::string::npos;
}

GroupPattern pattern_between_two_sides(const Side& sends, const Side& receives) {
  if (sends.count == 0 || receives.count == 0)
    return sends.peers.size() + receives.peers.size() == 1 ? GroupPattern::Pairwise : GroupPattern::Mixed;
  if (sends.peers.size() != 1 || receives.peers.size() != 1) return GroupPattern::Mixed;
  const std::string& to = *sends.peers.begin();
  const std::string& from = *receives.peers.begin();
  if (to == from || (sends.conditional && receives.conditional)) return GroupPattern::Pairwise;
  bool every_rank = !sends.conditional && !receives.conditional;
  return every_rank && closes_ring(to) && closes_ring(from) ? GroupPattern::Ring : GroupPattern::Mixed;
}

}  // namespace

bool mentions_name(std::string_view text, std::string_view name) {
  if (name.empty()) return false;
  auto in_identifier = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    bool starts = at == 0 || !in_identifier(text[at - 1]);
    bool ends = end == text.size() || !in_identifier(text[end]);
    if (starts && ends) return true;
  }
  return false;
}

LoopRole find_loop_role(const Program& program, Index operation) {
  const Operation& call = program.operations[operation];
  if (call.loop >= program.loops.size()) return LoopRole::None;
  if (ranges_over_peers(program, call)) return LoopRole::Peers;
  if (ranges_over_ranks(program, call)) return LoopRole::Ranks;
  return ranges_over_chunks(program, operation) ? LoopRole::Chunks : LoopRole::Iterations;
}

GroupPattern find_group_pattern(const Program& program, Index operation) {
  Index group = program.operations[operation].communicate->group;
  if (group >= program.operations.size()) return GroupPattern::None;
  Members members = members_of(program, group);
  const Side& sends = members.sends;
  const Side& receives = members.receives;
  if (sends.count + receives.count == 0) return GroupPattern::None;
  if (members.others > 0) return GroupPattern::Mixed;
  if (sends.in_loop() && receives.in_loop()) return GroupPattern::AllToAll;
  if (receives.in_loop() && sends.outside_loop()) return GroupPattern::Gather;
  if (sends.in_loop() && receives.outside_loop()) return GroupPattern::Scatter;
  if (!sends.outside_loop() || !receives.outside_loop()) return GroupPattern::Mixed;
  return pattern_between_two_sides(sends, receives);
}

}  // namespace cuco::model
