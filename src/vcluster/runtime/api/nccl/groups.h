#pragma once

#include <vector>

#include "vcluster/runtime/api/nccl/objects.h"

namespace cuco::vcluster {

void submit_calls(Stream& stream, std::vector<CollectiveCall> calls);

}  // namespace cuco::vcluster
