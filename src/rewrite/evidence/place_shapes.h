// How the units of the launches at one place touch memory, over all traced runs, and at which launches that holds.
//
// Where two further sizes show the same, strides and sizes are products of the launch's own numbers, and one shape
// stands for all launches whose numbers have to do with each other as they had in the traced ones. Else shapes are for
// exactly the traced launches: the same numbers, grids and blocks.
#pragma once

#include <string>
#include <vector>

#include "model/access_trace.h"
#include "rewrite/evidence/unit_facts.h"

namespace cuco::rewrite {

struct PlaceShapes {
  std::string obstacle;  // Why launches run whole, as the end of a sentence; empty when there are shapes.
  std::vector<UnitShape> shapes = {};
  bool at_other_sizes = false;  // One shape that held at further sizes.
};

PlaceShapes shapes_at(const model::AccessTrace& trace, const std::string& place);

}  // namespace cuco::rewrite
