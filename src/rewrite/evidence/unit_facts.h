// How the units of a launch touch memory, from a traced run. A unit is all blocks with one index along one dimension of
// the grid. Where every unit writes bytes of its own, the launch can be cut into slices of units that run whenever what
// they read is there; what the trace shows holds for launches of its shape.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/access_trace.h"
#include "rewrite/evidence/launch_relations.h"

namespace cuco::rewrite {

// A use whose numbers follow from those of its launch.
struct UseTerms {
  bool given = false;
  Term offset = {}, stride = {}, bytes = {};

  bool operator==(const UseTerms&) const = default;
};

// Unit i touches `bytes` bytes from offset + i * stride behind a pointer on.
struct UnitUse {
  uint32_t parameter = 0, field = 0;  // Of the pointer.
  bool writes = false;
  bool anywhere = false;  // Of reads: units follow no such rule, and may touch all that lies behind the pointer.
  int64_t offset = 0;     // Less than 0 where units look at what lies before their own.
  uint64_t stride = 0, bytes = 0;
  UseTerms terms = {};  // What the three are in launches of other sizes; not given: the same.

  bool operator==(const UnitUse&) const = default;
};

struct UnitShape {
  int dimension = 0;
  std::array<uint32_t, 3> grid = {}, block = {};  // 0: extents may differ, as that of the dimension may.
  std::vector<UnitUse> uses;                      // In order of parameter, field, reads before writes.
  uint32_t grain = 1;  // Slices begin at multiples of it, where units that read what they write begin.
  std::vector<Relation> relations = {};  // That hold of every launch of this shape.

  bool operator==(const UnitShape&) const = default;
};

struct UnitFacts {
  std::string obstacle;  // Why there is no such shape, as the end of a sentence; empty when there is one.
  UnitShape shape;
};
UnitFacts unit_facts(const model::TracedLaunch& launch);

void sort_uses(UnitShape& shape);

// Of two launches of one grid and block: what either touches. False when they write in different ways.
bool merge(UnitShape& shape, const UnitShape& other);

}  // namespace cuco::rewrite
