// What `cuco space` prints: for each site the legal choices, how many there are, and why the others are not legal.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "space/facts.h"

namespace cuco::space {

// At most 100 columns, unless one word of the user's program is longer. Reasons that hold at every site come once, at
// the end; a reason against combinations whose values are refused already is left out. The number behind a refusal
// counts combinations, and one that breaks several rules counts in each.
std::string space_text(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile);

// Every legal directive in its text form, and every refusal with its rule and count.
std::string space_json(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile);

}  // namespace cuco::space
