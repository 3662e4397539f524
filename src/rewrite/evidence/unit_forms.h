// How the units of the launches at one place touch memory, over all traced runs, and at which launches that holds.
//
// Where two further sizes show the same, steps and sizes are products of the launch's own numbers, and one form stands
// for all launches whose numbers have to do with each other as they had in the traced ones. Else forms are for exactly
// the traced launches: the same numbers, grids and blocks.
#pragma once

#include <string>
#include <vector>

#include "rewrite/words.h"

namespace cuco::rewrite {

struct UnitForm {
  int dimension = 0;   // Units are the blocks with one index along it.
  AccessForm form;     // Behind a pointer reads before writes.
  uint32_t grain = 1;  // Slices begin at multiples of it, where units that read what they write begin.
};

struct UnitForms {
  std::string obstacle;  // Why launches run whole, as the end of a sentence; empty when there are forms.
  std::vector<UnitForm> forms = {};
};

UnitForms unit_forms(const AccessTrace& trace, const std::string& place);

}  // namespace cuco::rewrite
