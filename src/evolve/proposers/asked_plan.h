// Which design a model is asked for: a legal plan that no member has and that makes no choice known to be slower, far
// from all of them for a whole rewrite, one step from the parent's for a small change, a mixture of both parents' for a
// join.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "agent/proposer.h"
#include "base/random.h"
#include "evolve/proposer.h"
#include "model/profile.h"
#include "space/facts.h"
#include "space/plan.h"

namespace cuco::evolve {

// Nothing: the model chooses.
using ChoosePlan = std::function<std::optional<space::Plan>(agent::ProposalKind, const Assignment&, Random&)>;

ChoosePlan untried_legal_plans(std::vector<space::SiteFacts> sites, model::HardwareProfile profile);

}  // namespace cuco::evolve
