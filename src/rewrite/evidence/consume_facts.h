// Whether the blocks of a launch can wait for just the bytes that they read of what is received, and which bytes these
// are. The traced run says it. Where further sizes show the same it holds for all launches whose numbers go together as
// in the traced ones. Else it holds for those with the same grid and block, and the same of every number among their
// arguments that was the same in all of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/access_trace.h"
#include "rewrite/evidence/block_uses.h"
#include "rewrite/evidence/launch_relations.h"

namespace cuco::rewrite {

constexpr size_t kBlockUsesMax = 8;  // As many as a launch can bring with it.

struct BlockShape {
  std::array<uint32_t, 3> grid = {}, block = {};
  std::vector<BlockUse> uses;                // In order of parameter and field.
  std::vector<model::TracedNumber> numbers;  // That every such launch had.

  bool operator==(const BlockShape&) const = default;
};

// The same by the numbers of a launch.
struct WaitUse {
  uint32_t parameter = 0, field = 0;
  int dimension = 0;
  Term blocks = {1}, offset = {}, stride = {}, bytes = {};  // Bytes of 0 as above.
  bool writes = false;

  bool operator==(const WaitUse&) const = default;
};
struct WaitShape {
  std::array<uint32_t, 3> grid = {}, block = {};  // 0: extents may differ, or follow by a relation.
  std::vector<Relation> relations;
  std::vector<WaitUse> uses;

  bool operator==(const WaitShape&) const = default;
};

struct ConsumeFacts {
  bool reads_received = false;  // Some launch there touches what a call receives into.
  std::string obstacle;         // Why its blocks cannot wait, as the end of a sentence; empty when they can.
  std::string kernel;
  std::vector<BlockShape> shapes;       // Of the launches there that touch what is received.
  std::optional<WaitShape> sized = {};  // Of all its launches, also of other sizes, in place of the shapes.
  std::string unsized = {};             // Why there is none, as the end of a sentence.
};

// The launches at `place` ("file:line").
ConsumeFacts consume_facts(const model::AccessTrace& trace, const std::string& place);

// A launch with what its blocks touch, whether or not that is worth waiting for one by one.
struct ReadSample {
  const model::TracedLaunch* launch;
  std::vector<BlockUse> uses;
};

// The form of all these launches, `own` of the traced size, of which `shapes` are known, and at least two unlike them;
// else why there is none.
Result<WaitShape> sized_waits(const std::vector<BlockShape>& shapes, std::vector<ReadSample> own,
                              std::vector<ReadSample> further);

// For launches of exactly this shape.
WaitShape exactly(const BlockShape& shape);

}  // namespace cuco::rewrite
