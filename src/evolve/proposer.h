// Who thinks of the next candidate. Rules and models are behind one interface; a bandit chooses among them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "evaluate/verdict.h"
#include "evolve/fingerprint.h"
#include "space/plan.h"
#include "store/records.h"

namespace cuco::evolve {

// A candidate with its verdict parsed: what selection and proposers look at.
struct Member {
  store::Candidate candidate;
  std::optional<space::Plan> plan;  // Stated, else inferred.
  evaluate::Verdict verdict;
  double score = 0;  // 0 for what did not pass.
  uint32_t children = 0;
  std::shared_ptr<const TextSketch> sketch;  // Of its files; null without.
  bool pending = false;                      // Proposed in this turn: no verdict yet.

  bool passed() const { return score > 0; }
};

enum class Phase : uint8_t { Explore, Exploit };

// What a proposer is given. Pointers stay valid during the call.
struct Assignment {
  const Member* baseline = nullptr;
  const Member* parent = nullptr;        // Chosen by the island; never null: the baseline if nothing passed.
  const Member* other_parent = nullptr;  // For a crossover; may be null.
  std::vector<const Member*> inspirations;
  std::vector<const Member*> failures;  // Recent ones with their findings.
  std::vector<const Member*> attempts;  // At one program, all rejected, the latest last: it is to be repaired.
  std::vector<std::string> lessons;
  Phase phase = Phase::Explore;
  bool is_late = false;  // Little of the budget is left: only what descends from the best can still pay.
  uint32_t island = 0, generation = 0;
  const std::vector<Member>* members = nullptr;  // All so far: member i has id i + 1. Those of this turn are pending.
};

struct Proposal {
  std::string intent;               // One sentence.
  std::optional<space::Plan> plan;  // Stated.
  std::optional<space::Plan> inferred_plan;
  store::Id parent = store::kNoId;  // When it was made from another member than the assignment's parent.
  bool crossed = false;             // The other parent had a share in it.
  std::vector<SourceFile> files;    // Empty with a failure.
  std::string failure;              // The reply was not a program: costs an attempt, not the run.
  std::string prompt, reply;        // Keys of the log.
  double cost_usd = 0;
};

class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual std::string name() const = 0;  // "rules", or the spec of a model.

  // Its programs are cuco's own rewriting of the baseline, so no parent's frozen text binds them.
  virtual bool uses_rewriter() const { return false; }

  // Takes assignments with attempts of its own.
  virtual bool repairs() const { return false; }

  // Nothing: this proposer has no more ideas. An error: it cannot go on at all (a provider is down, a budget is spent).
  virtual Result<std::optional<Proposal>> propose(const Assignment& assignment, Random& random) = 0;

  // State that a resumed run must find again beyond what the members tell, as text.
  virtual std::string state() const { return {}; }
  virtual Status restore(const std::string&) { return Done{}; }
};

}  // namespace cuco::evolve
