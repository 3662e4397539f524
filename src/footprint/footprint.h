// Which bytes of the communicated buffers every block of a traced run reads and writes, folded: one entry for each
// place of launches, buffer and direction.
#pragma once

#include <string>
#include <vector>

#include "footprint/form.h"
#include "footprint/touches.h"
#include "model/access_trace.h"

namespace cuco::footprint {

// Launches that one form stands for.
struct FoldedPart {
  std::vector<std::pair<uint32_t, uint32_t>> launches;  // Rank and round.
  Form form;
};

struct Footprint {
  Touch touch;
  std::vector<FoldedPart>
      parts;             // One for all launches, or for each round, each rank, or each launch. Empty: see below.
  std::string obstacle;  // Why only the table of the traced bytes is left, as a sentence without its end.

  uint64_t bytes = 0;           // Touched by the blocks of one launch together; the largest launch.
  uint64_t overlap_bytes = 0;   // Of these, touched by several blocks of one launch; the largest launch.
  bool all_touch_same = false;  // Every block touches the same bytes, and there are several.
};

std::vector<Footprint> footprints_of(const model::AccessTrace& trace, const std::vector<uint32_t>& buffers);

// Takes the forms away from what another run of the same shape touches differently.
void refuse_differences(std::vector<Footprint>& footprints, const model::AccessTrace& other, const std::string& why);

// Bytes that a call sends and no launch before it on its rank writes.
struct UnwrittenSend {
  std::string place, call;
  uint32_t rank = 0;
  uint32_t buffer = 0;
  ByteRanges bytes;
};
// The first such call of each place.
std::vector<UnwrittenSend> unwritten_sends(const model::AccessTrace& trace);

}  // namespace cuco::footprint
