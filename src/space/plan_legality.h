// Rules about a plan as a whole: what its sites must agree on, and what they share.
#pragma once

#include <vector>

#include "space/legality.h"
#include "space/plan.h"

namespace cuco::space {

struct PlanProposal {
  const std::vector<SiteFacts>& sites;
  const Plan& plan;
  const model::HardwareProfile& profile;
};

struct PlanRule {
  std::string_view id;
  std::optional<std::string> (*objection)(const PlanProposal&);
};

const std::vector<PlanRule>& plan_rules();

// The violations of each site's directive, their reasons led by the site's name, then those of the plan.
std::vector<Violation> check(const std::vector<SiteFacts>& sites, const Plan& plan,
                             const model::HardwareProfile& profile);

// What directives that are legal one by one can still break together.
bool fits_signal_pool(const PlanProposal& proposal);

// Whether two directives can be the two ends of one exchange.
bool agree(const Directive& a, const Directive& b);

// The schedule with what its plan gives no meaning to set back to the default, and with what it needs added. No rule
// about the schedule objects to it when every directive is legal for its site.
Schedule fitted_schedule(const std::vector<SiteFacts>& sites, const Plan& plan, const model::HardwareProfile& profile);

}  // namespace cuco::space
