// How much work library calls do: the one table that their times come from. Operations of doubles count twice, of
// complex numbers four times (multiplications and additions alike); bytes go to and from the HBM once for each pass.
#pragma once

#include <cstddef>

#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/timing/costs.h"

namespace cuco::vcluster {

class Device;

enum class Unit { Fp32, Fp64, Tensor };

struct LibraryWork {
  double operations = 0;  // Of real numbers.
  double bytes = 0;
  Unit unit = Unit::Fp32;
};

namespace library_work {

LibraryWork passes_over(double bytes, double operations = 0, Unit unit = Unit::Fp32);
LibraryWork product(double m, double n, double k, double batch, double element_bytes, double per_operation, Unit unit);
LibraryWork cholesky(double n, double element_bytes, double per_operation, Unit unit);
LibraryWork lu(double m, double n, double element_bytes, double per_operation, Unit unit);
LibraryWork qr(double m, double n, double element_bytes, double per_operation, Unit unit);
LibraryWork eigenvalues(double n, double element_bytes, double per_operation, Unit unit);
LibraryWork singular_values(double m, double n, double element_bytes, double per_operation, Unit unit);
LibraryWork fourier(double length, double batch, double bytes, Unit unit);
LibraryWork sparse_product(double nonzeros, double columns, double bytes, double per_operation, Unit unit);
LibraryWork random_numbers(double count, double bytes);

}  // namespace library_work

Work work_of(const LibraryWork& work);
Time time_on(const Device& device, const Work& work);

}  // namespace cuco::vcluster
