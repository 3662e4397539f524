// What each block of a traced launch touches of some buffers, as a rule by its index where there is one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/access_trace.h"

namespace cuco::rewrite {

// What a block touches behind a pointer: `bytes` bytes from offset + index / blocks * stride on, where index is the
// block's along the dimension.
struct BlockUse {
  uint32_t parameter = 0, field = 0;  // Of the pointer.
  int dimension = 0;
  uint32_t blocks = 1;  // So many in a row touch the same.
  int64_t offset = 0;   // Less than 0 where blocks look at what lies before their own.
  uint64_t stride = 0;
  uint64_t bytes = 0;   // 0: blocks follow no such rule, and may touch all that lies behind the pointer.
  bool writes = false;  // Some block changes what it touches.

  bool operator==(const BlockUse&) const = default;
};

struct LaunchUses {
  std::string obstacle;        // Why nothing can be said, as the end of a sentence.
  std::vector<BlockUse> uses;  // In order of parameter and field; none where the launch touches none of the buffers.
};

enum class Rules { All, WorthWaiting };  // Of the latter each block leaves an eighth of what all of them touch.

LaunchUses block_uses(const model::TracedLaunch& launch, const std::set<uint32_t>& buffers, Rules rules);

}  // namespace cuco::rewrite
