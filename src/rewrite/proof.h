// What the analysis says about a rewritten program, held against the original: every host collective of the region is
// gone or was kept by the plan, kernels that stand for the others are launched, and the program's own kernels are all
// there and launched in the same order. That the bytes are the same is for the virtual cluster to show.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/comm_graph.h"
#include "model/program.h"
#include "space/plan.h"

namespace cuco::rewrite {

struct Proof {
  std::vector<std::string> converted;  // In the order of the original.
  std::vector<std::string> kept;       // Sites that stay on the host, each with the reason.
  std::vector<std::string> faults;     // What does not hold; empty for a rewriting that is what it should be.

  bool holds() const { return faults.empty(); }
};

struct ProofInput {
  const model::Program& before;
  const model::CommGraph& graph_before;
  const model::Program& after;
  const model::CommGraph& graph_after;
  const space::Plan& plan;
  const std::map<std::string, std::string>& kernels;  // Of Rewritten.
};

Proof prove(const ProofInput& input);
// The part that holds whoever rewrote the program: what became of the host's collectives.
Proof compare_collectives(const ProofInput& input);

std::string to_text(const Proof& proof);

}  // namespace cuco::rewrite
