// The plan that a first conversion aims at: the simplest device-initiated form, correct before it is fast.
#pragma once

#include <optional>
#include <vector>

#include "space/legality.h"
#include "space/plan.h"

namespace cuco::space {

// LSA inside one node and GIN between several; deferred, barrier, one CTA, whole messages. Where a barrier is not
// legal, flags or per-peer signals; where nothing on the device is, the host call stays. Ends of one exchange fall back
// together. With a backend wished for, only that one or the host.
Plan fast_path_plan(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile,
                    std::optional<Backend> wished = std::nullopt);

}  // namespace cuco::space
