// Machine and design space in words that a model can choose by.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/profile.h"
#include "space/facts.h"

namespace cuco::agent {

// Ranks, links and what an idle step costs.
std::string describe_machine(const model::HardwareProfile& profile);

// A line with the values that the program is run with; none where it takes none.
std::string describe_sizes(const std::vector<std::pair<std::string, int64_t>>& parameters);

// A line a site: its call, and the values that some legal directive of it has in each dimension.
std::string describe_choices(const std::vector<space::SiteFacts>& sites, const model::HardwareProfile& profile);

}  // namespace cuco::agent
