#include "vcluster/runtime/api/libraries/library_work.h"

#include <algorithm>
#include <cmath>

#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

namespace library_work {

LibraryWork passes_over(double bytes, double operations, Unit unit) { return {operations, bytes, unit}; }

LibraryWork product(double m, double n, double k, double batch, double element_bytes, double per_operation, Unit unit) {
  return {2 * m * n * k * batch * per_operation, (m * k + k * n + m * n) * batch * element_bytes, unit};
}
// Operations as LAPACK Working Note 41 counts them, leading terms.
LibraryWork cholesky(double n, double element_bytes, double per_operation, Unit unit) {
  return {n * n * n / 3 * per_operation, 2 * n * n * element_bytes, unit};
}
LibraryWork lu(double m, double n, double element_bytes, double per_operation, Unit unit) {
  double least = std::min(m, n);
  return {(m * n * least - (m + n) * least * least / 2 + least * least * least / 3) * 2 * per_operation,
          2 * m * n * element_bytes, unit};
}
LibraryWork qr(double m, double n, double element_bytes, double per_operation, Unit unit) {
  double least = std::min(m, n);
  return {2 * least * least * (std::max(m, n) - least / 3) * per_operation, 2 * m * n * element_bytes, unit};
}
// Reduction to tridiagonal or bidiagonal form, and the vectors: estimates, of 9 n^3 and 14 m n^2.
LibraryWork eigenvalues(double n, double element_bytes, double per_operation, Unit unit) {
  return {9 * n * n * n * per_operation, 4 * n * n * element_bytes, unit};
}
LibraryWork singular_values(double m, double n, double element_bytes, double per_operation, Unit unit) {
  return {14 * m * n * std::min(m, n) * per_operation, 4 * m * n * element_bytes, unit};
}
// The usual count of 5 N log2 N operations, and two passes over the data.
LibraryWork fourier(double length, double batch, double bytes, Unit unit) {
  return {5 * length * std::log2(std::max(2.0, length)) * batch, 2 * bytes, unit};
}
LibraryWork sparse_product(double nonzeros, double columns, double bytes, double per_operation, Unit unit) {
  return {2 * nonzeros * columns * per_operation, bytes, unit};
}
// Estimate: 16 integer and floating-point operations a number.
LibraryWork random_numbers(double count, double bytes) { return {16 * count, bytes, Unit::Fp32}; }

}  // namespace library_work

Work work_of(const LibraryWork& library) {
  Work work;
  double factor = library.unit == Unit::Fp64 ? 2 : 1;  // Half the rate of fp32, as on A100 and H100.
  auto operations = static_cast<uint64_t>(library.operations * factor);
  work.counters[library.unit == Unit::Tensor ? TensorOperations : FpOperations] = operations;
  work.counters[GlobalBytes] = work.counters[HbmBytes] = static_cast<uint64_t>(library.bytes);
  return work;
}

Time time_on(const Device& device, const Work& work) {
  double alone = static_cast<double>(time_of(work.counters, device.gpu));
  return static_cast<Time>(alone / device.gpu.sm_count * device.slowness);
}

}  // namespace cuco::vcluster
