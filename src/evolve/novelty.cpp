#include "evolve/novelty.h"

#include "base/text.h"

namespace cuco::evolve {
namespace {

std::string plan_key(const Member& member) { return member.plan ? space::to_text(*member.plan) : std::string(); }

constexpr const char* kSameProgram = "the same program as #";

// Sketches of 256 bins are off by up to about a hundredth for texts this alike.
constexpr double kSketchSlack = 0.02;

}  // namespace

void Novelty::catch_up(const std::vector<Member>& members) {
  for (; known_count_ < members.size(); ++known_count_) {
    const Member& member = members[known_count_];
    if (!member.sketch) continue;
    by_text_key_.emplace(member.sketch->key, known_count_);
    by_plan_[plan_key(member)].push_back(known_count_);
  }
}

std::optional<size_t> Novelty::most_alike(const std::vector<size_t>& indices, const TextSketch& sketch,
                                          const std::vector<Member>& members) const {
  std::optional<size_t> closest;
  double most = similarity_max_ - kSketchSlack;
  for (size_t index : indices) {
    const TextSketch& other = *members[index].sketch;
    double alike = other.numbers == sketch.numbers ? similarity(other, sketch) : 0;
    if (alike <= most) continue;
    most = alike;
    closest = index;
  }
  return closest;
}

std::optional<std::string> Novelty::objection(const Member& member, const std::vector<Member>& members) const {
  if (!member.sketch) return std::nullopt;
  if (auto same = by_text_key_.find(member.sketch->key); same != by_text_key_.end())
    return concat(kSameProgram, same->second + 1);
  // A reply was paid for, and one line may be the point of it.
  if (!member.candidate.reply.empty()) return std::nullopt;
  auto same_plan = by_plan_.find(plan_key(member));
  if (same_plan == by_plan_.end()) return std::nullopt;
  std::optional<size_t> closest = most_alike(same_plan->second, *member.sketch, members);
  if (!closest) return std::nullopt;
  double alike = similarity(fingerprint(member.candidate.files), fingerprint(members[*closest].candidate.files));
  if (alike <= similarity_max_) return std::nullopt;
  return concat("shares ", alike * 100, " % of its text with #", *closest + 1, " and its plan");
}

bool is_objection(const std::string& failure) { return failure.starts_with(kSameProgram); }

}  // namespace cuco::evolve
