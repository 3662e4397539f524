// Where two runs part, for people.
#pragma once

#include <string>
#include <vector>

#include "store/records.h"

namespace cuco::campaign {

// "step 3: candidate 7 has another plan"; says so when it finds none.
std::string first_difference(const std::vector<store::Step>& before, const std::vector<store::Step>& again);

}  // namespace cuco::campaign
