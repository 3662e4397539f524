#pragma once

#include <vector>

#include "vcluster/runtime/nccl_objects.h"

namespace cuco::vcluster {

void submit_calls(Stream& stream, std::vector<CollectiveCall> calls);

}  // namespace cuco::vcluster
