// Whether the kernel before a communication call can send what it writes itself, block by block. The traced run says
// which blocks write which bytes (slice_facts.h). Where further sizes show the same it holds for all launches whose
// numbers go together as in the traced ones, else for those of exactly the traced shape.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

constexpr uint32_t kFusedPartsMax = 16;  // As many as a fused kernel keeps count of.

struct FuseFacts {
  std::string obstacle;  // Why not, as the end of a sentence; empty when it can.
  SliceFacts slices;     // As many parts as slices.
  std::array<uint32_t, 3> grid = {}, block = {};
  uint64_t message_bytes = 0, guarded_bytes = 0;
  uint32_t element_bytes = 1;
  bool at_other_sizes = false;    // Where the guard of the slices lets it; else for this grid, block and message alone.
  uint32_t source_parameter = 0;  // Of the kernel: points to where the messages begin, which a held launch is known by.
  AccessTerms tiles;  // Of a message; without a rule: some block writes nothing of it, or what others write.
};

enum class Path { Memory, Network };  // How messages go to the farthest peers.

// The call at `place` ("file:line"), with messages in chunks of about so many bytes.
FuseFacts fuse_facts(const AccessTrace& trace, const std::string& place, uint64_t chunk_bytes,
                     Path path = Path::Memory);

}  // namespace cuco::rewrite
