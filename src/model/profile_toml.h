// A profile as the text of a profile file: the inverse of parse_profile, exact to the last bit.
#pragma once

#include <string>

#include "model/profile.h"

namespace cuco::model {

std::string to_toml(const HardwareProfile& profile);

}  // namespace cuco::model
