// Whether the kernel before a communication call can send what it writes itself, block by block. The traced run says
// which blocks write which bytes (slice_facts.h); it holds for launches of exactly the traced shape.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "rewrite/slice_facts.h"

namespace cuco::rewrite {

struct FuseFacts {
  std::string obstacle;  // Why not, as the end of a sentence; empty when it can.
  SliceFacts slices;     // As many parts as slices.
  std::array<uint32_t, 3> grid = {}, block = {};
  uint64_t message_bytes = 0;
};

// The call at `place` ("file:line"), with messages in chunks of about so many bytes.
FuseFacts fuse_facts(const model::AccessTrace& trace, const std::string& place, uint64_t chunk_bytes);

}  // namespace cuco::rewrite
