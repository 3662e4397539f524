// Footprints in closed form, as a trace reports them. A form is exact or it is not used: for every block that was
// traced it gives the very bytes that the block touched. Its numbers are plain, or products of the program's
// parameters, its ranks and the grid (general_form.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "footprint/line.h"
#include "footprint/touches.h"

namespace cuco::footprint {

// Rows [row_begin, row_end) of `pitch` bytes, and of each of them the bytes [column_begin, column_end). With pitch 0
// there is one row. Rows are counted from the byte `origin`. With a `limit` the rows go on, whatever row_end says, and
// nothing at or beyond it belongs to the box: a loop with the stride of the grid ends like that.
template <typename Number>
struct BasicBox {
  Number pitch{}, origin{};
  BasicLine<Number> row_begin, row_end, column_begin, column_end;
  std::optional<Number> limit;

  bool operator==(const BasicBox&) const = default;
};
using Box = BasicBox<int64_t>;

template <typename Number>
struct BasicForm {
  BasicBasis<Number> basis;
  std::vector<BasicBox<Number>> boxes;

  bool operator==(const BasicForm&) const = default;
};
using Form = BasicForm<int64_t>;

ByteRanges bytes_of(const Form& form, const Toucher& toucher);

struct Folded {
  std::optional<Form> form;
  std::string obstacle;  // Why there is none, as the end of a sentence.
};

using Samples = std::vector<const Sample*>;

// Whether the form gives the bytes of every sample.
bool is_exact(const Form& form, const Samples& samples);

Folded fold(const Samples& samples);

// Only forms of the pattern's kind: as many boxes, with rows where it has them, the same coordinates. `rank_count` is
// that of the samples, a modulus of the pattern's rank count stands for it.
Folded fold_like(const Samples& samples, uint32_t rank_count, const Form& pattern, uint32_t pattern_rank_count);

}  // namespace cuco::footprint
