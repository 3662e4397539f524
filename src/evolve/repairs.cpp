#include "evolve/repairs.h"

#include <algorithm>
#include <set>

#include "evolve/novelty.h"

namespace cuco::evolve {

namespace {

const Member& by_id(const std::vector<Member>& members, store::Id id) { return members[static_cast<size_t>(id) - 1]; }

bool is_rejected(const Member& member) {
  if (member.pending) return false;
  if (!member.candidate.failure.empty()) return !is_objection(member.candidate.failure);
  return !member.verdict.passed();
}

// From the first attempt to `last`.
std::vector<const Member*> attempts_up_to(const std::vector<Member>& members, const Member& last) {
  std::vector<const Member*> attempts;
  for (const Member* one = &last; is_rejected(*one) && one->candidate.proposer == last.candidate.proposer;
       one = &by_id(members, one->candidate.parent)) {
    attempts.push_back(one);
    if (one->candidate.parent == store::kNoId) break;
  }
  std::ranges::reverse(attempts);
  return attempts;
}

}  // namespace

std::vector<const Member*> attempts_to_repair(const std::vector<Member>& members,
                                              const std::function<bool(const std::string&)>& repairs) {
  std::set<store::Id> parents;
  for (const Member& member : members) parents.insert(member.candidate.parent);
  for (const Member& member : members) {
    if (!is_rejected(member) || parents.contains(member.candidate.id) || !repairs(member.candidate.proposer)) continue;
    std::vector<const Member*> attempts = attempts_up_to(members, member);
    if (attempts.size() <= kRepairsMax) return attempts;
  }
  return {};
}

const Member& nearest_program(const std::vector<Member>& members, const Member& member) {
  const Member* one = &member;
  while (one->candidate.files.empty() && one->candidate.parent != store::kNoId)
    one = &by_id(members, one->candidate.parent);
  return *one;
}

}  // namespace cuco::evolve
