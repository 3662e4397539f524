// What the race detector must know of NCCL's collectives: what each rank's part reads and writes, in which order.
#pragma once

#include <vector>

#include "vcluster/runtime/api/nccl/objects.h"

namespace cuco::vcluster {

// The calls of all ranks, in rank order, at the moment the data moves.
void order_collective(const std::vector<CollectiveCall>& calls);
void order_transfer(const CollectiveCall& send, const CollectiveCall& receive);

}  // namespace cuco::vcluster
