// Which bytes the blocks of a launch touch behind its pointers, and of which launches that is true. What one launch
// touched is an Access for each pointer, with plain numbers (block_accesses.h). An AccessForm has the same by the
// launch's own numbers: its accesses hold for every launch that its guard lets pass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "footprint/launch_relations.h"
#include "model/access_trace.h"

namespace cuco::footprint {

// What block (x, y, z) touches behind a pointer: `count` pieces of `bytes`, `stride` apart, the first at
//   offset + x / every * steps[0] + y / every * steps[1] + z / every * steps[2].
// It may touch less, and nothing else there.
template <typename Number>
struct BasicAccess {
  uint32_t parameter = 0, field = 0;  // Of the pointer.
  bool writes = false;                // Some block changes what it touches.
  Number offset{};                    // Less than 0 where blocks look at what lies before their own.
  std::array<Number, 3> steps{};
  Number bytes{};  // 0: blocks follow no such rule, and may touch all that lies behind the pointer.
  Number stride{}, count{};
  Number filled{};  // So many bytes from the offset on have one block each; 0: some have none or several.
  Number every{1};  // So many blocks in a row touch the same.

  bool has_rule() const { return bytes != Number{}; }
  // The first that bytes depend on.
  int dimension() const {
    for (int i = 0; i < 3; i++)
      if (steps[static_cast<size_t>(i)] != Number{}) return i;
    return 0;
  }
  const Number& step() const { return steps[static_cast<size_t>(dimension())]; }
  template <typename Other>
  bool is_behind(const Other& pointer) const {
    return parameter == pointer.parameter && field == pointer.field;
  }
  bool operator==(const BasicAccess&) const = default;
};

using Access = BasicAccess<int64_t>;
using AccessTerms = BasicAccess<Term>;
using Accesses = std::vector<Access>;  // In order of parameter and field.

int64_t begin_of(const Access& access, const std::array<uint32_t, 3>& block);

// `bytes` bytes of each block, `step` apart along a dimension.
Access run_along(int dimension, int64_t offset, int64_t step, int64_t bytes);
// No rule, behind the same pointer.
Access anywhere(const Access& access);

// One run of bytes is also several pieces that touch, as where a row is no longer than a tile: pieces of `piece_bytes`,
// where these divide it. Several stay as they are, and so does a run with `piece_bytes` of 0.
void split_run(Access& access, int64_t piece_bytes);

struct AccessForm {
  LaunchGuard guard;
  std::vector<AccessTerms> accesses;  // In order of parameter and field.
  bool at_other_sizes = false;        // It held at further sizes; else for launches of exactly the traced shape.

  bool operator==(const AccessForm&) const = default;
};

// With plain numbers.
AccessTerms exactly(const Access& access);

// One access in all these launches by their numbers; a launch without one says nothing. None when no product gives a
// number of it. A step along one block, and the distance of one piece, mean nothing.
std::optional<AccessTerms> explained(const LaunchRelations& relations,
                                     const std::vector<const model::TracedLaunch*>& launches,
                                     const std::vector<std::optional<Access>>& accesses);

// One access in all launches; a launch without one says nothing.
struct AccessColumn {
  std::vector<std::optional<Access>> values;
  std::optional<AccessTerms> otherwise = {};  // Where they follow no rule, or no product gives it.
};
// The form of launches that can be compared, cut along the dimension; none where a column has none.
std::optional<AccessForm> form_over(const std::vector<const model::TracedLaunch*>& launches, int dimension,
                                    const std::vector<AccessColumn>& columns);

// A launch with what its blocks touch.
struct AccessSample {
  const model::TracedLaunch* launch;
  Accesses accesses;
};

// Launches of one grid and block.
struct TracedShape {
  std::array<uint32_t, 3> grid = {}, block = {};
  Accesses accesses = {};
  std::vector<model::TracedNumber> numbers = {};  // That every such launch had; the others are of no matter.

  bool is_of(const model::TracedLaunch& launch) const { return grid == launch.grid && block == launch.block; }
  void keep_common(const std::vector<model::TracedNumber>& others);
  bool operator==(const TracedShape&) const = default;
};
TracedShape* shape_of(std::vector<TracedShape>& shapes, const model::TracedLaunch& launch);
AccessForm exactly(const TracedShape& shape);

}  // namespace cuco::footprint
