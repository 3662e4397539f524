// How ranks lie on the GPUs of a profile.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/profile.h"

namespace cuco::campaign {

// The hardware where none is named: four A100s, or eight H100s where a node has more ranks. 0: not said.
std::string usual_profile(uint32_t rank_count, uint32_t node_count);

// An error says what would fit.
Status check_layout(const std::string& command, uint32_t rank_count, uint32_t node_count, const std::string& name,
                    const model::HardwareProfile& profile);

}  // namespace cuco::campaign
