// Whether the kernel before a communication call can be cut into slices of its grid, so that a part of every message
// can leave while the rest is computed. Which blocks write which bytes comes from a traced run and holds for launches
// of that shape.
//
// A grid is cut along one dimension. The blocks with one index of it are a unit, and a unit owns the same share of
// every message: a run of whole rows (unit i of n owns bytes [i, i + 1) / n of the message), or, where the dimension
// runs along the rows, `piece_bytes` of each row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/access_trace.h"

namespace cuco::rewrite {

constexpr uint32_t kSlicesMax = 8;  // As many as two ranks can have messages open.

struct Cut {
  int dimension = 0;         // 0 for x.
  uint64_t piece_bytes = 0;  // Of a row of the message; 0: units own whole rows.

  bool operator==(const Cut&) const = default;
};

// How launches of one shape write from a pointer on: unit i of a dimension the bytes [i, i + 1) * unit_bytes.
struct TracedShape {
  uint64_t unit_bytes = 0;
  std::array<uint32_t, 3> grid = {}, block = {};  // The extent of the cut dimension may differ.

  bool operator==(const TracedShape&) const = default;
};

struct SliceFacts {
  std::string obstacle;  // Why nothing can be cut, as the end of a sentence; empty when it can.
  std::string launch;    // Place of the launch, "file:line".
  std::string kernel;
  Cut cut;
  uint32_t unit_count = 1;
  uint32_t slice_count = 1;
  TracedShape shape;  // Of launches that feed messages in flight.
};

// The call at `place` ("file:line"), with messages in chunks of about so many bytes, `count_max` of them at most.
SliceFacts slice_facts(const model::AccessTrace& trace, const std::string& place, uint64_t chunk_bytes,
                       uint32_t count_max = kSlicesMax);

// The launches that write what the call at `place` sends, each with how it can be cut by the pointer that it writes
// through, or with the obstacle. One at a time of each place in the source.
std::vector<SliceFacts> producers_of(const model::AccessTrace& trace, const std::string& place);

// The same file by name, and the same line.
bool same_place(const std::string& a, const std::string& b);

// How a launch can be cut for messages of `bytes` at the offsets of the buffer: nothing when some unit writes outside
// of its share.
std::optional<Cut> find_cut(const model::TracedLaunch& launch, uint32_t buffer, const std::vector<uint64_t>& offsets,
                            uint64_t bytes, uint32_t slice_count);

}  // namespace cuco::rewrite
