// What became of each site of a program that was rewritten: what the analysis says of the text, and what was seen in
// runs. Every host collective of the region is gone or was kept by the plan, kernels were seen to move data between the
// ranks that the site connects, by the backend that was asked for, and the program's own kernels are all there and
// launched in the same order. That the results are the same is for the judge to say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/comm_graph.h"
#include "model/traffic.h"
#include "rewrite/infer.h"
#include "rewrite/words.h"
#include "space/plan.h"

namespace cuco::rewrite {

struct ConvertedSite {
  std::string site;  // "s1 ncclSend at a.cu:9:3"
  std::string seen;  // The directive, and which kernel moved which bytes.
};

struct Proof {
  std::vector<ConvertedSite> converted;  // In the order of the original.
  std::vector<std::string> kept;         // Sites that stay on the host, each with the reason.
  std::vector<std::string> faults;       // What does not hold; empty for a rewriting that is what it should be.
  std::string runs;                      // What "seen" means.

  bool holds() const { return faults.empty(); }
};

// The first run's traffic, of the original and of what came out, and how many there were.
struct SeenRuns {
  const model::Traffic &before, &after;
  uint32_t schedules = 0;
};

// What of the plan the user asked for. Anything else is the writer's choice.
enum class Asked : uint8_t { Nothing, Backends, Placements };

struct ProofInput {
  const model::Program& before;
  const model::CommGraph& graph_before;
  const model::Program& after;
  const model::CommGraph& graph_after;
  const space::Plan& plan;
  const InferredPlan& inferred;
  SeenRuns runs;
  Asked asked = Asked::Backends;  // Placements: backends as well.
};

// `kernels`: of Rewritten.
Proof prove_by_rules(const ProofInput& input, const std::map<std::string, std::string>& kernels);
// The part that holds whoever rewrote the program.
Proof prove(const ProofInput& input);

// Sites of which the same was seen, as those of a group, share a line.
std::string to_text(const Proof& proof);

}  // namespace cuco::rewrite
