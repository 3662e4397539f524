// cuBLAS, level 3 but for the general product: symmetric, triangular and diagonal matrices, and small systems in
// batches.
#include "vcluster/runtime/api/libraries/blas.h"

using namespace cuco::vcluster;

namespace {

template <typename T>
LibraryWork product_work(double m, double n, double k, double batch = 1) {
  return library_work::product(m, n, k, batch, sizeof(T), kOperationsEach<T>, kUnit<T>);
}

// C = alpha product + beta C.
template <typename T>
void put_combined(const Dense<T>& product, T alpha, T beta, T* c, long long ldc) {
  for (long long column = 0; column < product.columns; column++)
    for (long long row = 0; row < product.rows; row++) {
      T& place = c[row + column * ldc];
      place = alpha * product.at(row, column) + (beta == T(0) ? T(0) : beta * place);
    }
}
template <typename T>
void put_triangle(const Dense<T>& product, T beta, T* c, long long ldc, bool upper, bool is_hermitian) {
  for (long long column = 0; column < product.columns; column++) {
    long long first = upper ? 0 : column, last = upper ? column : product.rows - 1;
    for (long long row = first; row <= last; row++) {
      T& place = c[row + column * ldc];
      place = product.at(row, column) + (beta == T(0) ? T(0) : beta * place);
      if (is_hermitian && row == column) place = T(real_part(place));
    }
  }
}

template <typename T>
cublasStatus_t symmetric(cublasHandle_t named, const char* name, cublasSideMode_t side, cublasFillMode_t fill, int m,
                         int n, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc,
                         bool is_hermitian) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int order = side == CUBLAS_SIDE_LEFT ? m : n;
  if (m < 0 || n < 0 || lda < std::max(1, order) || ldb < std::max(1, m) || ldc < std::max(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<T> factor(*handle, alpha, name), keep(*handle, beta, name);
  std::vector<Operand> operands = {matrix_operand(a, order, order, lda, Use::Read, shape_of(fill)),
                                   matrix_operand(b, m, n, ldb, Use::Read),
                                   matrix_operand(c, m, n, ldc, keep.is_known_zero() ? Use::Write : Use::Update)};
  factor.add_operand(operands), keep.add_operand(operands);
  return queue(*handle, {name, product_work<T>(m, n, order), std::move(operands), {}, [=] {
                           Dense<T> whole = symmetric_from(a, order, lda, is_upper(fill), is_hermitian);
                           Dense<T> other = dense_from(b, m, n, ldb);
                           put_combined(side == CUBLAS_SIDE_LEFT ? multiply(whole, other) : multiply(other, whole),
                                        factor.get(), keep.get(), c, ldc);
                         }});
}

// C = alpha op(A) op(A)^T + beta C, one triangle. With b: op(A) op(B)^T, and its mirror image too if `is_mirrored`.
template <typename T, typename Alpha, typename Beta>
cublasStatus_t rank_update(cublasHandle_t named, const char* name, cublasFillMode_t fill, cublasOperation_t operation,
                           int n, int k, const Alpha* alpha, const T* a, int lda, const T* b, int ldb, bool is_mirrored,
                           const Beta* beta, T* c, int ldc, bool is_hermitian) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int rows = operation == CUBLAS_OP_N ? n : k, columns = operation == CUBLAS_OP_N ? k : n;
  if (n < 0 || k < 0 || lda < std::max(1, rows) || ldc < std::max(1, n) || (b && ldb < std::max(1, rows)))
    return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<Alpha> factor(*handle, alpha, name);
  Scalar<Beta> keep(*handle, beta, name);
  std::vector<Operand> operands = {
      matrix_operand(a, rows, columns, lda, Use::Read),
      matrix_operand(c, n, n, ldc, keep.is_known_zero() ? Use::Write : Use::Update, shape_of(fill))};
  if (b) operands.push_back(matrix_operand(b, rows, columns, ldb, Use::Read));
  factor.add_operand(operands), keep.add_operand(operands);
  auto compute = [=] {
    auto load = [&](const T* data, int ld) {
      Dense<T> whole = dense_from(data, rows, columns, ld);
      return operation == CUBLAS_OP_N ? whole : transposed(whole, is_hermitian);
    };
    Dense<T> left = load(a, lda), right = b ? load(b, ldb) : left;
    Dense<T> sum = multiply(left, transposed(right, is_hermitian));
    T scale = T(factor.get());
    for (T& value : sum.values) value *= scale;
    if (is_mirrored) {
      Dense<T> mirror = multiply(right, transposed(left, is_hermitian));
      T other = is_hermitian ? conjugate(scale) : scale;
      for (size_t i = 0; i < sum.values.size(); i++) sum.values[i] += other * mirror.values[i];
    }
    put_triangle(sum, T(keep.get()), c, ldc, is_upper(fill), is_hermitian);
  };
  return queue(*handle, {name, product_work<T>(n, n, k, is_mirrored ? 1 : 0.5), std::move(operands), {}, compute});
}

template <typename T>
struct Triangle {
  const T* data;
  int order, ld;
  cublasFillMode_t fill;
  cublasOperation_t operation;
  cublasDiagType_t diagonal;

  Dense<T> load(const T* at) const {
    return with_operation(triangle_from(at, order, ld, is_upper(fill), diagonal == CUBLAS_DIAG_UNIT), operation);
  }
  // Of op(A).
  bool acts_as_upper() const { return is_upper(fill) == (operation == CUBLAS_OP_N); }
  Operand operand(const T* at) const { return matrix_operand(at, order, order, ld, Use::Read, shape_of(fill)); }
};

template <typename T>
cublasStatus_t multiply_triangle(cublasHandle_t named, const char* name, cublasSideMode_t side, const Triangle<T>& a,
                                 int m, int n, const T* alpha, const T* b, int ldb, T* c, int ldc) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || a.ld < std::max(1, a.order) || ldb < std::max(1, m) || ldc < std::max(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<T> factor(*handle, alpha, name);
  std::vector<Operand> operands = {a.operand(a.data), matrix_operand(b, m, n, ldb, Use::Read),
                                   matrix_operand(c, m, n, ldc, Use::Write)};
  factor.add_operand(operands);
  return queue(*handle, {name, product_work<T>(m, n, a.order, 0.5), std::move(operands), {}, [=] {
                           Dense<T> triangle = a.load(a.data), other = dense_from(b, m, n, ldb);
                           put_combined(
                               side == CUBLAS_SIDE_LEFT ? multiply(triangle, other) : multiply(other, triangle),
                               factor.get(), T(0), c, ldc);
                         }});
}

template <typename T>
void solve(const Triangle<T>& a, const T* at, cublasSideMode_t side, int m, int n, T alpha, T* b, int ldb) {
  Dense<T> right = dense_from(b, m, n, ldb);
  for (T& value : right.values) value *= alpha;
  if (side == CUBLAS_SIDE_LEFT)
    solve_left(a.load(at), right, a.acts_as_upper());
  else
    solve_right(a.load(at), right, a.acts_as_upper());
  put_dense(right, b, ldb);
}

template <typename T>
cublasStatus_t solve_triangle(cublasHandle_t named, const char* name, cublasSideMode_t side, const Triangle<T>& a,
                              int m, int n, const T* alpha, T* b, int ldb) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || a.ld < std::max(1, a.order) || ldb < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<T> factor(*handle, alpha, name);
  std::vector<Operand> operands = {a.operand(a.data), matrix_operand(b, m, n, ldb, Use::Update)};
  factor.add_operand(operands);
  return queue(*handle, {name, product_work<T>(m, n, a.order, 0.5), std::move(operands), {}, [=] {
                           solve(a, a.data, side, m, n, factor.get(), b, ldb);
                         }});
}

// An array of matrices whose addresses lie in device memory.
template <typename T>
Operand array_of(T* const* array, int count) {
  return {array, sizeof(void*), count, 1, count, Use::Read};
}

template <typename T>
cublasStatus_t solve_triangles(cublasHandle_t named, const char* name, cublasSideMode_t side, const Triangle<T>& a,
                               const T* const* as, int m, int n, const T* alpha, T* const* bs, int ldb, int count) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || count < 0 || a.ld < std::max(1, a.order) || ldb < std::max(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<T> factor(*handle, alpha, name);
  LibraryCall call = {name, product_work<T>(m, n, a.order, 0.5 * count), {array_of(as, count), array_of(bs, count)}};
  call.late_operands = [=] {
    std::vector<Operand> operands;
    for (int i = 0; i < count; i++) {
      operands.push_back(a.operand(as[i]));
      operands.push_back(matrix_operand(bs[i], m, n, ldb, Use::Update));
    }
    return operands;
  };
  call.compute = [=] {
    for (int i = 0; i < count; i++) solve(a, as[i], side, m, n, factor.get(), bs[i], ldb);
  };
  return queue(*handle, std::move(call));
}

template <typename T>
cublasStatus_t add_matrices(cublasHandle_t named, const char* name, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,
                            int ldc) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  auto rows = [=](cublasOperation_t t) { return t == CUBLAS_OP_N ? m : n; };
  auto columns = [=](cublasOperation_t t) { return t == CUBLAS_OP_N ? n : m; };
  if (m < 0 || n < 0 || lda < std::max(1, rows(ta)) || ldb < std::max(1, rows(tb)) || ldc < std::max(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<T> left(*handle, alpha, name), right(*handle, beta, name);
  bool uses_a = !left.is_known_zero() && a, uses_b = !right.is_known_zero() && b;
  std::vector<Operand> operands = {matrix_operand(c, m, n, ldc, Use::Write)};
  if (uses_a) operands.push_back(matrix_operand(a, rows(ta), columns(ta), lda, Use::Read));
  if (uses_b) operands.push_back(matrix_operand(b, rows(tb), columns(tb), ldb, Use::Read));
  left.add_operand(operands), right.add_operand(operands);
  return queue(*handle, {name, product_work<T>(m, n, 1), std::move(operands), {}, [=] {
                           Dense<T> sum(m, n);
                           if (uses_a) {
                             Dense<T> first = with_operation(dense_from(a, rows(ta), columns(ta), lda), ta);
                             for (size_t i = 0; i < sum.values.size(); i++)
                               sum.values[i] = left.get() * first.values[i];
                           }
                           if (uses_b) {
                             Dense<T> second = with_operation(dense_from(b, rows(tb), columns(tb), ldb), tb);
                             for (size_t i = 0; i < sum.values.size(); i++)
                               sum.values[i] += right.get() * second.values[i];
                           }
                           put_dense(sum, c, ldc);
                         }});
}

template <typename T>
cublasStatus_t scale_rows(cublasHandle_t named, const char* name, cublasSideMode_t side, int m, int n, const T* a,
                          int lda, const T* x, int incx, T* c, int ldc) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || lda < std::max(1, m) || ldc < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
  bool by_row = side == CUBLAS_SIDE_LEFT;
  int count = by_row ? m : n;
  std::vector<Operand> operands = {matrix_operand(a, m, n, lda, Use::Read), vector_of(x, count, incx, Use::Read),
                                   matrix_operand(c, m, n, ldc, Use::Write)};
  return queue(*handle, {name, product_work<T>(m, n, 1), std::move(operands), {}, [=] {
                           Strided<const T> factors(x, count, incx);
                           for (long long j = 0; j < n; j++)
                             for (long long i = 0; i < m; i++)
                               c[i + j * ldc] = a[i + j * lda] * factors[by_row ? i : j];
                         }});
}

template <typename T>
LibraryWork lu_work(double n, double count) {
  LibraryWork one = library_work::lu(n, n, sizeof(T), kOperationsEach<T>, kUnit<T>);
  return {one.operations * count, one.bytes * count, one.unit};
}

Operand numbers_of(const int* data, long long count, Use use) { return {data, sizeof(int), count, 1, count, use}; }

template <typename T>
std::vector<Operand> square_operands(T* const* array, int n, int ld, int count, Use use) {
  std::vector<Operand> operands;
  for (int i = 0; i < count; i++) operands.push_back({array[i], sizeof(T), n, n, ld, use});
  return operands;
}

template <typename T>
cublasStatus_t factor_batch(cublasHandle_t named, const char* name, int n, T* const* as, int lda, int* pivots,
                            int* info, int count) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0 || count < 0 || lda < std::max(1, n)) return CUBLAS_STATUS_INVALID_VALUE;
  LibraryCall call = {name, lu_work<T>(n, count), {array_of(as, count), numbers_of(info, count, Use::Write)}};
  if (pivots) call.operands.push_back(numbers_of(pivots, static_cast<long long>(n) * count, Use::Write));
  call.late_operands = [=] { return square_operands(as, n, lda, count, Use::Update); };
  call.compute = [=] {
    for (int i = 0; i < count; i++) {
      Dense<T> a = dense_from(as[i], n, n, lda);
      std::vector<int> rows;
      info[i] = factor_lu(a, pivots ? &rows : nullptr);
      put_dense(a, as[i], lda);
      std::copy(rows.begin(), rows.end(), pivots + static_cast<long long>(i) * n);
    }
  };
  return queue(*handle, std::move(call));
}

std::vector<int> pivots_of(const int* pivots, int n, int i) {
  if (!pivots) return {};
  return {pivots + static_cast<long long>(i) * n, pivots + static_cast<long long>(i + 1) * n};
}

template <typename T>
int zero_pivot(const Dense<T>& lu) {
  for (long long i = 0; i < lu.rows; i++)
    if (lu.at(i, i) == T(0)) return static_cast<int>(i + 1);
  return 0;
}

template <typename T>
cublasStatus_t invert_batch(cublasHandle_t named, const char* name, int n, const T* const* as, int lda,
                            const int* pivots, T* const* cs, int ldc, int* info, int count, bool are_factored) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0 || count < 0 || lda < std::max(1, n) || ldc < std::max(1, n)) return CUBLAS_STATUS_INVALID_VALUE;
  LibraryCall call = {
      name, lu_work<T>(n, 2 * count), {array_of(as, count), array_of(cs, count), numbers_of(info, count, Use::Write)}};
  if (pivots) call.operands.push_back(numbers_of(pivots, static_cast<long long>(n) * count, Use::Read));
  call.late_operands = [=] {
    std::vector<Operand> operands = square_operands(as, n, lda, count, Use::Read);
    for (const Operand& operand : square_operands(cs, n, ldc, count, Use::Write)) operands.push_back(operand);
    return operands;
  };
  call.compute = [=] {
    for (int i = 0; i < count; i++) {
      Dense<T> lu = dense_from(as[i], n, n, lda), inverse = identity<T>(n);
      std::vector<int> rows = pivots_of(pivots, n, i);
      info[i] = are_factored ? zero_pivot(lu) : factor_lu(lu, &rows);
      if (info[i] != 0) continue;
      solve_by_lu(lu, rows, CUBLAS_OP_N, inverse);
      put_dense(inverse, cs[i], ldc);
    }
  };
  return queue(*handle, std::move(call));
}

template <typename T>
cublasStatus_t solve_batch(cublasHandle_t named, const char* name, cublasOperation_t operation, int n, int columns,
                           const T* const* as, int lda, const int* pivots, T* const* bs, int ldb, int* info,
                           int count) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  bool is_valid = n >= 0 && columns >= 0 && count >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n);
  if (info) *info = is_valid ? 0 : -2;
  if (!is_valid) return CUBLAS_STATUS_INVALID_VALUE;
  LibraryCall call = {name, lu_work<T>(n, count), {array_of(as, count), array_of(bs, count)}};
  if (pivots) call.operands.push_back(numbers_of(pivots, static_cast<long long>(n) * count, Use::Read));
  call.late_operands = [=] {
    std::vector<Operand> operands = square_operands(as, n, lda, count, Use::Read);
    for (int i = 0; i < count; i++) operands.push_back({bs[i], sizeof(T), n, columns, ldb, Use::Update});
    return operands;
  };
  call.compute = [=] {
    for (int i = 0; i < count; i++) {
      Dense<T> b = dense_from<T>(bs[i], n, columns, ldb);
      solve_by_lu(dense_from(as[i], n, n, lda), pivots_of(pivots, n, i), operation, b);
      put_dense(b, bs[i], ldb);
    }
  };
  return queue(*handle, std::move(call));
}

}  // namespace

#define CUCO_MATRICES(P, T)                                                                                            \
  cublasStatus_t cublas##P##symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,    \
                                 const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,        \
                                 int ldc) {                                                                            \
    return symmetric(handle, "cublas" #P "symm", side, uplo, m, n, numbers(alpha), numbers(A), lda, numbers(B), ldb,   \
                     numbers(beta), numbers(C), ldc, false);                                                           \
  }                                                                                                                    \
  cublasStatus_t cublas##P##syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,  \
                                 const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc) {                  \
    return rank_update(handle, "cublas" #P "syrk", uplo, trans, n, k, numbers(alpha), numbers(A), lda,                 \
                       decltype(numbers(A))(nullptr), 1, false, numbers(beta), numbers(C), ldc, false);                \
  }                                                                                                                    \
  cublasStatus_t cublas##P##syr2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                                  const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,       \
                                  int ldc) {                                                                           \
    return rank_update(handle, "cublas" #P "syr2k", uplo, trans, n, k, numbers(alpha), numbers(A), lda, numbers(B),    \
                       ldb, true, numbers(beta), numbers(C), ldc, false);                                              \
  }                                                                                                                    \
  cublasStatus_t cublas##P##syrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                                  const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,       \
                                  int ldc) {                                                                           \
    return rank_update(handle, "cublas" #P "syrkx", uplo, trans, n, k, numbers(alpha), numbers(A), lda, numbers(B),    \
                       ldb, false, numbers(beta), numbers(C), ldc, false);                                             \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                  \
                                 cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,         \
                                 const T* A, int lda, const T* B, int ldb, T* C, int ldc) {                            \
    Triangle<NumberOf<T>::type> a = {numbers(A), side == CUBLAS_SIDE_LEFT ? m : n, lda, uplo, trans, diag};            \
    return multiply_triangle(handle, "cublas" #P "trmm", side, a, m, n, numbers(alpha), numbers(B), ldb, numbers(C),   \
                             ldc);                                                                                     \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                  \
                                 cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,         \
                                 const T* A, int lda, T* B, int ldb) {                                                 \
    Triangle<NumberOf<T>::type> a = {numbers(A), side == CUBLAS_SIDE_LEFT ? m : n, lda, uplo, trans, diag};            \
    return solve_triangle(handle, "cublas" #P "trsm", side, a, m, n, numbers(alpha), numbers(B), ldb);                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,           \
                                        cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,  \
                                        const T* const A[], int lda, T* const B[], int ldb, int batchCount) {          \
    Triangle<NumberOf<T>::type> a = {nullptr, side == CUBLAS_SIDE_LEFT ? m : n, lda, uplo, trans, diag};               \
    return solve_triangles(handle, "cublas" #P "trsmBatched", side, a, numbers(A), m, n, numbers(alpha), numbers(B),   \
                           ldb, batchCount);                                                                           \
  }                                                                                                                    \
  cublasStatus_t cublas##P##geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,     \
                                 int n, const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, \
                                 int ldc) {                                                                            \
    return add_matrices(handle, "cublas" #P "geam", transa, transb, m, n, numbers(alpha), numbers(A), lda,             \
                        numbers(beta), numbers(B), ldb, numbers(C), ldc);                                              \
  }                                                                                                                    \
  cublasStatus_t cublas##P##dgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const T* A, int lda,      \
                                 const T* x, int incx, T* C, int ldc) {                                                \
    return scale_rows(handle, "cublas" #P "dgmm", mode, m, n, numbers(A), lda, numbers(x), incx, numbers(C), ldc);     \
  }                                                                                                                    \
  cublasStatus_t cublas##P##getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, int* P_, int* info,      \
                                         int batchSize) {                                                              \
    return factor_batch(handle, "cublas" #P "getrfBatched", n, numbers(A), lda, P_, info, batchSize);                  \
  }                                                                                                                    \
  cublasStatus_t cublas##P##getriBatched(cublasHandle_t handle, int n, const T* const A[], int lda, const int* P_,     \
                                         T* const C[], int ldc, int* info, int batchSize) {                            \
    return invert_batch(handle, "cublas" #P "getriBatched", n, numbers(A), lda, P_, numbers(C), ldc, info, batchSize,  \
                        true);                                                                                         \
  }                                                                                                                    \
  cublasStatus_t cublas##P##matinvBatched(cublasHandle_t handle, int n, const T* const A[], int lda, T* const Ainv[],  \
                                          int lda_inv, int* info, int batchSize) {                                     \
    return invert_batch(handle, "cublas" #P "matinvBatched", n, numbers(A), lda, nullptr, numbers(Ainv), lda_inv,      \
                        info, batchSize, false);                                                                       \
  }                                                                                                                    \
  cublasStatus_t cublas##P##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,              \
                                         const T* const Aarray[], int lda, const int* devIpiv, T* const Barray[],      \
                                         int ldb, int* info, int batchSize) {                                          \
    return solve_batch(handle, "cublas" #P "getrsBatched", trans, n, nrhs, numbers(Aarray), lda, devIpiv,              \
                       numbers(Barray), ldb, info, batchSize);                                                         \
  }
#define CUCO_HERMITIAN(P, T, R)                                                                                        \
  cublasStatus_t cublas##P##hemm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,    \
                                 const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,        \
                                 int ldc) {                                                                            \
    return symmetric(handle, "cublas" #P "hemm", side, uplo, m, n, numbers(alpha), numbers(A), lda, numbers(B), ldb,   \
                     numbers(beta), numbers(C), ldc, true);                                                            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##herk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,  \
                                 const R* alpha, const T* A, int lda, const R* beta, T* C, int ldc) {                  \
    return rank_update(handle, "cublas" #P "herk", uplo, trans, n, k, alpha, numbers(A), lda,                          \
                       decltype(numbers(A))(nullptr), 1, false, beta, numbers(C), ldc, true);                          \
  }                                                                                                                    \
  cublasStatus_t cublas##P##her2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                                  const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C,       \
                                  int ldc) {                                                                           \
    return rank_update(handle, "cublas" #P "her2k", uplo, trans, n, k, numbers(alpha), numbers(A), lda, numbers(B),    \
                       ldb, true, beta, numbers(C), ldc, true);                                                        \
  }

extern "C" {

CUCO_MATRICES(S, float)
CUCO_MATRICES(D, double)
CUCO_MATRICES(C, cuComplex)
CUCO_MATRICES(Z, cuDoubleComplex)
CUCO_HERMITIAN(C, cuComplex, float)
CUCO_HERMITIAN(Z, cuDoubleComplex, double)
}
