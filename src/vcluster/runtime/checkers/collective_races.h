// What the race detector must know of NCCL's collectives: what each rank's part reads and writes, and whom it hears of.
#pragma once

#include <vector>

#include "vcluster/runtime/nccl_objects.h"

namespace cuco::vcluster {

// Whether bytes of rank `from` come to `rank` by its part in the collective, `call`; of each such rank as many as the
// call's count says.
bool hears(const CollectiveCall& call, int rank, int from, size_t rank_count);

// The calls of all ranks, in rank order, at the moment the data moves.
void order_collective(const std::vector<CollectiveCall>& calls);
void order_transfer(const CollectiveCall& send, const CollectiveCall& receive);

}  // namespace cuco::vcluster
