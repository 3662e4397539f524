// Who thinks of the next candidate. Rules and models are behind one interface; a bandit chooses among them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "evaluate/verdict.h"
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
  std::vector<std::string> lessons;
  Phase phase = Phase::Explore;
  uint32_t island = 0, generation = 0;
  const std::vector<Member>* members = nullptr;  // All so far, in the order of their ids.
};

struct Proposal {
  std::string intent;               // One sentence.
  std::optional<space::Plan> plan;  // Stated.
  std::vector<store::File> files;   // Empty with a failure.
  std::string failure;              // The reply was not a program: costs an attempt, not the run.
  std::string prompt, reply;        // Keys of the log.
  double cost_usd = 0;
};

class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual std::string name() const = 0;  // "rules", or the spec of a model.

  // Nothing: this proposer has no more ideas. An error: it cannot go on at all (a provider is down, a budget is spent).
  virtual Result<std::optional<Proposal>> propose(const Assignment& assignment, Random& random) = 0;

  // State that a resumed run must find again beyond what the members tell, as text.
  virtual std::string state() const { return {}; }
  virtual Status restore(const std::string&) { return Done{}; }
};

}  // namespace cuco::evolve
