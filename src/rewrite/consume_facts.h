// Whether the blocks of a launch can wait for just the bytes that they read of what is received, and which bytes these
// are. The traced run says it; it holds for launches of exactly the traced shape.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/access_trace.h"

namespace cuco::rewrite {

constexpr size_t kBlockUsesMax = 8;  // As many as a launch can bring with it.

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

struct BlockShape {
  std::array<uint32_t, 3> grid = {}, block = {};
  std::vector<BlockUse> uses;  // In order of parameter and field.

  bool operator==(const BlockShape&) const = default;
};

struct ConsumeFacts {
  bool reads_received = false;  // Some launch there touches what a call receives into.
  std::string obstacle;         // Why its blocks cannot wait, as the end of a sentence; empty when they can.
  std::string kernel;
  std::vector<BlockShape> shapes;  // Of the launches there that touch what is received.
};

// The launches at `place` ("file:line").
ConsumeFacts consume_facts(const model::AccessTrace& trace, const std::string& place);

}  // namespace cuco::rewrite
