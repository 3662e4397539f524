// Walking the legal part of the design space. Everything is in a fixed order and draws from the generator passed in, so
// a seed repeats a search. Chunks come from the ladder of directive.h.
#pragma once

#include <vector>

#include "base/random.h"
#include "space/legality.h"
#include "space/plan.h"

namespace cuco::space {

// Every legal directive once, in the order of the dimensions' values. Never empty: leaving the call on the host is
// legal.
std::vector<Directive> legal_directives(const SiteFacts& site, const model::HardwareProfile& profile);

// Legal directives that differ from this one in one dimension.
std::vector<Directive> neighbours(const SiteFacts& site, const Directive& directive,
                                  const model::HardwareProfile& profile);

// Each site uniform over its legal directives; where sites are ends of one exchange the first of them is drawn among
// those that the others can agree with, and the others among those that agree with it. Plans whose signals exceed the
// pool are drawn again.
Plan sample_plan(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile, Random& random);

// Each exchange from one parent or the other, each value of the schedule too, fitted to the child. A site that `b`
// lacks comes from `a`. The child of legal plans is legal; one whose signals would exceed the pool is `a` itself.
Plan crossover(const Plan& a, const Plan& b, const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile,
               Random& random);

// Indices of sites, those of one exchange together, in order of first appearance.
std::vector<std::vector<size_t>> exchanges_of(const std::vector<SiteFacts>& sites);

}  // namespace cuco::space
