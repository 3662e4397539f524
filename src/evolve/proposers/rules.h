// Proposes plans and lets the rewriter write them: no key, no network, no cost. First what an expert would try, then
// refinements of the best and moves from what did well: along one axis of the plan, crossings, samples; at the end
// every neighbour of what passed, best first. A plan that cannot be written, or whose text is known, is passed over at
// no cost.
#pragma once

#include <map>
#include <set>
#include <string>

#include "evolve/proposer.h"
#include "evolve/proposers/axis_learning.h"
#include "evolve/proposers/ideas.h"
#include "evolve/proposers/plan_space.h"

namespace cuco::evolve {

struct RulesInput {
  std::vector<space::SiteFacts> sites;
  model::HardwareProfile profile;
  space::Plan fast_path;
  WritePlan write;
  bool learned_order = true;  // Else every axis is as good as any other.
  bool ideas = true;          // Begin with what an expert would try.
  bool climbs = true;         // Refine the best plan step by step, beside moves from drawn parents.
};

class RulesProposer : public Proposer {
 public:
  explicit RulesProposer(RulesInput input);

  std::string name() const override { return "rules"; }
  bool uses_rewriter() const override { return true; }
  Result<std::optional<Proposal>> propose(const Assignment& assignment, Random& random) override;

 private:
  // A plan with where it comes from.
  struct Draft {
    space::Plan plan;
    std::string reason;
    store::Id parent = store::kNoId;
    bool crossed = false;
  };

  void catch_up(const std::vector<Member>& members);
  AxisWeights weights_for(const Member& parent) const;

  std::optional<Proposal> next_idea(const Assignment& assignment);
  std::optional<Proposal> next_draw(const Assignment& assignment, Random& random);
  std::optional<Proposal> next_refinement(const Assignment& assignment);
  std::optional<Proposal> next_neighbour(const Assignment& assignment);

  std::optional<Draft> mutated(const Member& parent, Phase phase, Random& random);
  std::optional<Draft> crossed(const Assignment& assignment, Random& random);
  std::optional<Draft> draw(const Assignment& assignment, Random& random);

  const space::Plan& plan_of(const Member& member) const;
  // The proposal, when the plan is untried, can be written and gives a text that nobody has.
  std::optional<Proposal> attempt(const Draft& draft, const Assignment& assignment);
  const std::string& text_key_of(const space::Plan& plan, std::vector<SourceFile>& files);

  PlanSpace space_;
  bool learned_order_, with_ideas_, climbs_;
  std::optional<std::vector<Idea>> ideas_;
  AxisLearning learning_;
  size_t known_count_ = 0;
  std::map<std::string, store::Id> tried_;      // By the text of the plan; the first with it.
  std::set<std::string> text_keys_;             // Of all members.
  std::map<std::string, std::string> written_;  // Plan to text key; empty: it cannot be written.
};

}  // namespace cuco::evolve
