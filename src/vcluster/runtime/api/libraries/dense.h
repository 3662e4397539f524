// Dense matrices of numbers and what is done with them, in plain loops whose order never changes. Column-major.
#pragma once

#include <cublas_v2.h>

#include <vector>

#include "vcluster/runtime/api/libraries/numbers.h"

namespace cuco::vcluster {

template <typename T>
struct Dense {
  Dense(long long row_count, long long column_count)
      : rows(row_count), columns(column_count), values(static_cast<size_t>(row_count * column_count)) {}

  T& at(long long row, long long column) { return values[static_cast<size_t>(row + column * rows)]; }
  const T& at(long long row, long long column) const { return values[static_cast<size_t>(row + column * rows)]; }

  long long rows, columns;
  std::vector<T> values;
};

template <typename T>
Dense<T> dense_from(const T* data, long long rows, long long columns, long long ld) {
  Dense<T> result(rows, columns);
  for (long long column = 0; column < columns; column++)
    for (long long row = 0; row < rows; row++) result.at(row, column) = data[row + column * ld];
  return result;
}

template <typename T>
void put_dense(const Dense<T>& from, T* data, long long ld) {
  for (long long column = 0; column < from.columns; column++)
    for (long long row = 0; row < from.rows; row++) data[row + column * ld] = from.at(row, column);
}

template <typename T>
Dense<T> transposed(const Dense<T>& from, bool conjugates) {
  Dense<T> result(from.columns, from.rows);
  for (long long column = 0; column < from.columns; column++)
    for (long long row = 0; row < from.rows; row++)
      result.at(column, row) = conjugates ? conjugate(from.at(row, column)) : from.at(row, column);
  return result;
}

template <typename T>
Dense<T> with_operation(Dense<T> from, cublasOperation_t operation) {
  if (operation == CUBLAS_OP_N) return from;
  return transposed(from, operation == CUBLAS_OP_C);
}

// The triangle of a square matrix; outside of it zeros.
template <typename T>
Dense<T> triangle_from(const T* data, long long n, long long ld, bool is_upper, bool has_unit_diagonal) {
  Dense<T> result(n, n);
  for (long long column = 0; column < n; column++) {
    long long first = is_upper ? 0 : column, last = is_upper ? column : n - 1;
    for (long long row = first; row <= last; row++)
      result.at(row, column) = row == column && has_unit_diagonal ? T(1) : data[row + column * ld];
  }
  return result;
}

// The whole of a symmetric or Hermitian matrix of which one triangle is stored.
template <typename T>
Dense<T> symmetric_from(const T* data, long long n, long long ld, bool is_upper, bool is_hermitian) {
  Dense<T> result = triangle_from(data, n, ld, is_upper, false);
  for (long long column = 0; column < n; column++)
    for (long long row = 0; row < column; row++) {
      T value = is_upper ? result.at(row, column) : result.at(column, row);
      T other = is_hermitian ? conjugate(value) : value;
      (is_upper ? result.at(column, row) : result.at(row, column)) = other;
    }
  if (is_hermitian)
    for (long long i = 0; i < n; i++) result.at(i, i) = T(real_part(result.at(i, i)));
  return result;
}

// Sums over the inner dimension in order. Four columns at a time share the loads of `a`.
template <typename T>
Dense<T> multiply(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> result(a.rows, b.columns);
  auto rows = static_cast<size_t>(a.rows);
  for (long long column = 0; column < b.columns; column += 4) {
    long long width = std::min(4ll, b.columns - column);
    for (long long i = 0; i < a.columns; i++) {
      const T* from = a.values.data() + static_cast<size_t>(i) * rows;
      if (width == 4) {
        T f0 = b.at(i, column), f1 = b.at(i, column + 1), f2 = b.at(i, column + 2), f3 = b.at(i, column + 3);
        T* to = result.values.data() + static_cast<size_t>(column) * rows;
        for (size_t row = 0; row < rows; row++) {
          T value = from[row];
          to[row] += value * f0;
          to[row + rows] += value * f1;
          to[row + 2 * rows] += value * f2;
          to[row + 3 * rows] += value * f3;
        }
        continue;
      }
      for (long long c = column; c < column + width; c++) {
        T factor = b.at(i, c);
        T* to = result.values.data() + static_cast<size_t>(c) * rows;
        for (size_t row = 0; row < rows; row++) to[row] += from[row] * factor;
      }
    }
  }
  return result;
}

// X of T X = B, in place of B; `is_upper` says which triangle T has.
template <typename T>
void solve_left(const Dense<T>& triangle, Dense<T>& b, bool is_upper) {
  long long n = triangle.rows;
  for (long long column = 0; column < b.columns; column++)
    for (long long step = 0; step < n; step++) {
      long long i = is_upper ? n - 1 - step : step;
      T value = b.at(i, column) = b.at(i, column) / triangle.at(i, i);
      long long first = is_upper ? 0 : i + 1, end = is_upper ? i : n;
      for (long long row = first; row < end; row++) b.at(row, column) -= triangle.at(row, i) * value;
    }
}

// X of X T = B, in place of B.
template <typename T>
void solve_right(const Dense<T>& triangle, Dense<T>& b, bool is_upper) {
  long long n = triangle.rows;
  for (long long step = 0; step < n; step++) {
    long long j = is_upper ? step : n - 1 - step;
    long long first = is_upper ? 0 : j + 1, end = is_upper ? j : n;
    for (long long i = first; i < end; i++)
      for (long long row = 0; row < b.rows; row++) b.at(row, j) -= b.at(row, i) * triangle.at(i, j);
    for (long long row = 0; row < b.rows; row++) b.at(row, j) /= triangle.at(j, j);
  }
}

// LU with partial pivoting, in place. `pivots` counts rows from 1, as LAPACK does. Returns 0, or the first column, from
// 1, whose pivot is zero.
template <typename T>
int factor_lu(Dense<T>& a, std::vector<int>* pivots) {
  long long least = std::min(a.rows, a.columns);
  int info = 0;
  if (pivots) pivots->assign(static_cast<size_t>(least), 0);
  for (long long k = 0; k < least; k++) {
    long long pivot = k;
    if (pivots) {
      for (long long row = k + 1; row < a.rows; row++)
        if (size_of_number(a.at(row, k)) > size_of_number(a.at(pivot, k))) pivot = row;
      (*pivots)[static_cast<size_t>(k)] = static_cast<int>(pivot + 1);
    }
    if (a.at(pivot, k) == T(0)) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    for (long long column = 0; pivot != k && column < a.columns; column++)
      std::swap(a.at(k, column), a.at(pivot, column));
    for (long long row = k + 1; row < a.rows; row++) a.at(row, k) /= a.at(k, k);
    for (long long column = k + 1; column < a.columns; column++) {
      T factor = a.at(k, column);
      for (long long row = k + 1; row < a.rows; row++) a.at(row, column) -= a.at(row, k) * factor;
    }
  }
  return info;
}

template <typename T>
void exchange_rows(Dense<T>& b, const std::vector<int>& pivots, bool backwards) {
  for (size_t step = 0; step < pivots.size(); step++) {
    size_t i = backwards ? pivots.size() - 1 - step : step;
    auto row = static_cast<long long>(i), other = static_cast<long long>(pivots[i]) - 1;
    for (long long column = 0; row != other && column < b.columns; column++)
      std::swap(b.at(row, column), b.at(other, column));
  }
}

// X of op(A) X = B by the factors of A, in place of B. Empty pivots: none were exchanged.
template <typename T>
void solve_by_lu(const Dense<T>& lu, const std::vector<int>& pivots, cublasOperation_t operation, Dense<T>& b) {
  Dense<T> lower = triangle_from(lu.values.data(), lu.rows, lu.rows, false, true);
  Dense<T> upper = triangle_from(lu.values.data(), lu.rows, lu.rows, true, false);
  if (operation == CUBLAS_OP_N) {
    exchange_rows(b, pivots, false);
    solve_left(lower, b, false);
    solve_left(upper, b, true);
    return;
  }
  solve_left(with_operation(upper, operation), b, false);
  solve_left(with_operation(lower, operation), b, true);
  exchange_rows(b, pivots, true);
}

template <typename T>
Dense<T> identity(long long n) {
  Dense<T> result(n, n);
  for (long long i = 0; i < n; i++) result.at(i, i) = T(1);
  return result;
}

}  // namespace cuco::vcluster
