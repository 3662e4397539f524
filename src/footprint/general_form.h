// A form whose numbers are products of the program's parameters, its ranks and the grid: what a form is at every size
// it was tried at.
#pragma once

#include <optional>
#include <vector>

#include "footprint/form.h"
#include "footprint/symbols.h"

namespace cuco::footprint {

using GeneralLine = BasicLine<Monomial>;
using GeneralBox = BasicBox<Monomial>;
using GeneralForm = BasicForm<Monomial>;

// The same launches, buffer and direction at one size.
struct SizedForm {
  Form form;
  Samples samples;
  Symbols symbols;
  uint32_t rank_count = 1;
};

// With plain numbers.
GeneralForm general(const Form& form);

// What it is for one run; none when a number of it is not whole there.
std::optional<Form> specialised(const GeneralForm& form, const Symbols& symbols);

// One form that is exact in all runs; none when there is none. The first run's names are everybody's.
std::optional<GeneralForm> generalised(const std::vector<SizedForm>& runs);

}  // namespace cuco::footprint
