// What the blocks of one traced launch touch, as rules by their index where there are any.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "footprint/access_form.h"
#include "model/access_trace.h"

namespace cuco::footprint {

// Why what blocks write cannot be followed, as the end of a sentence; empty when it can.
std::string obstacle_in_writes(const model::TracedLaunch& launch);

struct BlockAccesses {
  std::string obstacle;    // Why nothing can be said, as the end of a sentence.
  Accesses accesses = {};  // None where the launch touches none of the buffers.
};

enum class Rules { All, WorthWaiting };  // Of the latter each block leaves an eighth of what all of them touch.

// Of some buffers, reads and writes behind a pointer together: along the dimension, and for as many blocks in a row,
// that leave each the fewest bytes.
BlockAccesses block_accesses(const model::TracedLaunch& launch, const std::set<uint32_t>& buffers, Rules rules);

// Of all buffers, by units: a unit is all blocks with one index along a dimension of the grid. Where every unit writes
// bytes of its own, the launch can be cut into slices of units that run whenever what they read is there.
struct UnitAccesses {
  std::string obstacle;  // Why there is no such dimension, as the end of a sentence; empty when there is one.
  int dimension = 0;
  Accesses accesses = {};  // In order of parameter, field, reads before writes.
};
UnitAccesses unit_accesses(const model::TracedLaunch& launch);

// How the launch writes the buffer, from its begin; behind no pointer. Without a rule where it does not.
Access written_tiles(const model::TracedLaunch& launch, uint32_t buffer);
// The same of a launch whose blocks write the `bytes` from `offset` on, each byte once, in tiles that are all alike;
// without a rule where they do not. The offset is that of the tiles from there on.
Access equal_tiles(const model::TracedLaunch& launch, uint32_t buffer, uint64_t offset, uint64_t bytes);

// Makes the access count from the last pointer into the buffer that is not behind `offset`; false where there is none.
bool count_from_pointer(const model::TracedLaunch& launch, uint32_t buffer, int64_t offset, Access& access);

void sort_accesses(Accesses& accesses);

}  // namespace cuco::footprint
