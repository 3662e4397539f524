// The device-communication section that a rewritten program carries, put together from the texts in sections/. Only
// what the plan needs is in it.
#pragma once

#include <set>
#include <string>

#include "model/program.h"
#include "space/directive.h"

namespace cuco::rewrite {

struct SectionNeeds {
  std::set<space::Backend> backends;
  std::set<model::Collective> collectives;  // Empty: windows and the device communicator alone.
  uint32_t blocks_max = 1;
};

bool is_reduction(model::Collective collective);

// The set-up: windows, communicators, what calls put together on the host. Opens the namespace and closes it.
std::string set_up_section(const SectionNeeds& needs);
// The code that moves bytes on the device. Likewise.
std::string device_section(const SectionNeeds& needs);

// "all_gather", "send": the function of the section that stands in for a call.
std::string function_of(model::Collective collective);

}  // namespace cuco::rewrite
