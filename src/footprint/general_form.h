// A form whose numbers are products of the program's parameters, its ranks and the grid: what a form is at every size
// it was tried at.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "footprint/form.h"
#include "footprint/symbols.h"

namespace cuco::footprint {

struct GeneralLine {
  Monomial constant;
  std::array<Monomial, kCoordinates> slopes;
  std::optional<Monomial> low, high;
};

struct GeneralBox {
  Monomial pitch, origin;
  GeneralLine row_begin, row_end, column_begin, column_end;
  std::optional<Monomial> limit;
};

struct GeneralForm {
  Basis basis;       // Divisor and modulus are those of the first run; 0 where there is none.
  Monomial divisor;  // Of the linear index of blocks.
  Monomial modulus;
  int64_t shift = 0;  // Below 0: counted from the modulus.
  std::vector<GeneralBox> boxes;
};

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
