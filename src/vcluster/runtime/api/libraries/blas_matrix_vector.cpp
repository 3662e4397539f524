// cuBLAS, level 2: matrices and vectors.
#include "vcluster/runtime/api/libraries/blas.h"

using namespace cuco::vcluster;

namespace {

template <typename T>
LibraryWork matrix_work(double rows, double columns, double batch = 1) {
  return library_work::passes_over(rows * columns * batch * sizeof(T), 2 * rows * columns * batch * kOperationsEach<T>,
                                   kUnit<T>);
}

template <typename T>
Dense<T> vector_from(const T* x, long long count, long long increment) {
  Dense<T> result(count, 1);
  Strided<const T> from(x, count, increment);
  for (long long i = 0; i < count; i++) result.at(i, 0) = from[i];
  return result;
}

// y = alpha * product + beta * y; what beta is 0 for is not read.
template <typename T>
void put_combined(const Dense<T>& product, T alpha, T beta, T* y, long long increment) {
  Strided<T> to(y, product.rows, increment);
  for (long long i = 0; i < product.rows; i++) to[i] = alpha * product.at(i, 0) + (beta == T(0) ? T(0) : beta * to[i]);
}

template <typename T>
struct MatrixVector {
  long long y_count, x_count;
  const T *alpha, *x;
  int incx;
  const T* beta;
  T* y;
  int incy;
  long long x_stride = 0, y_stride = 0;
  int batch_count = 1;
};

// y = alpha op(A) x + beta y; `matrix` gives op(A) of one of the batch, `operands` what it reads.
template <typename T>
cublasStatus_t multiply_vector(cublasHandle_t named, const char* name, const MatrixVector<T>& call,
                               std::vector<Operand> operands, std::function<Dense<T>(int)> matrix) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (call.y_count < 0 || call.x_count < 0 || call.incx == 0 || call.incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<T> alpha(*handle, call.alpha, name), beta(*handle, call.beta, name);
  for (int batch = 0; batch < call.batch_count; batch++) {
    operands.push_back(vector_of(call.x + batch * call.x_stride, call.x_count, call.incx, Use::Read));
    operands.push_back(vector_of(call.y + batch * call.y_stride, call.y_count, call.incy,
                                 beta.is_known_zero() ? Use::Write : Use::Update));
  }
  alpha.add_operand(operands), beta.add_operand(operands);
  LibraryWork work =
      matrix_work<T>(static_cast<double>(call.y_count), static_cast<double>(call.x_count), call.batch_count);
  return queue(*handle, {name, work, std::move(operands), {}, [=] {
                           for (int batch = 0; batch < call.batch_count; batch++) {
                             Dense<T> x = vector_from(call.x + batch * call.x_stride, call.x_count, call.incx);
                             put_combined(multiply(matrix(batch), x), alpha.get(), beta.get(),
                                          call.y + batch * call.y_stride, call.incy);
                           }
                         }});
}

template <typename T>
cublasStatus_t general(cublasHandle_t handle, const char* name, cublasOperation_t operation, int m, int n,
                       const T* alpha, const T* a, int lda, long long a_stride, const T* x, int incx,
                       long long x_stride, const T* beta, T* y, int incy, long long y_stride, int batch_count) {
  if (m < 0 || n < 0 || lda < std::max(1, m) || batch_count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  bool transposes = operation != CUBLAS_OP_N;
  std::vector<Operand> operands;
  for (int batch = 0; batch < batch_count; batch++)
    operands.push_back(matrix_operand(a + batch * a_stride, m, n, lda, Use::Read));
  MatrixVector<T> call = {transposes ? n : m, transposes ? m : n, alpha,      x, incx, beta, y, incy,
                          x_stride,           y_stride,           batch_count};
  return multiply_vector<T>(handle, name, call, std::move(operands), [=](int batch) {
    return with_operation(dense_from(a + batch * a_stride, m, n, lda), operation);
  });
}

// Element (row, column) of a band matrix is in row ku + row - column of its storage.
template <typename T>
Dense<T> band_from(const T* a, int m, int n, int kl, int ku, int lda) {
  Dense<T> result(m, n);
  for (int column = 0; column < n; column++)
    for (int row = std::max(0, column - ku); row < std::min(m, column + kl + 1); row++)
      result.at(row, column) = a[ku + row - column + static_cast<long long>(column) * lda];
  return result;
}
template <typename T>
cublasStatus_t band(cublasHandle_t handle, const char* name, cublasOperation_t operation, int m, int n, int kl, int ku,
                    const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  if (m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1) return CUBLAS_STATUS_INVALID_VALUE;
  bool transposes = operation != CUBLAS_OP_N;
  std::vector<Operand> operands;
  for (int column = 0; column < n; column++) {
    int first = std::max(0, column - ku), end = std::min(m, column + kl + 1);
    if (end > first)
      operands.push_back(
          vector_of(a + ku + first - column + static_cast<long long>(column) * lda, end - first, 1, Use::Read));
  }
  MatrixVector<T> call = {transposes ? n : m, transposes ? m : n, alpha, x, incx, beta, y, incy};
  return multiply_vector<T>(handle, name, call, std::move(operands),
                            [=](int) { return with_operation(band_from(a, m, n, kl, ku, lda), operation); });
}

template <typename T>
cublasStatus_t symmetric(cublasHandle_t handle, const char* name, cublasFillMode_t fill, int n, const T* alpha,
                         const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy, bool is_hermitian) {
  if (n < 0 || lda < std::max(1, n)) return CUBLAS_STATUS_INVALID_VALUE;
  MatrixVector<T> call = {n, n, alpha, x, incx, beta, y, incy};
  return multiply_vector<T>(handle, name, call, {matrix_operand(a, n, n, lda, Use::Read, shape_of(fill))},
                            [=](int) { return symmetric_from(a, n, lda, is_upper(fill), is_hermitian); });
}

// A += alpha x y^T, or y^H.
template <typename T>
cublasStatus_t outer(cublasHandle_t named, const char* name, int m, int n, const T* alpha, const T* x, int incx,
                     const T* y, int incy, T* a, int lda, bool conjugates) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || lda < std::max(1, m) || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<T> factor(*handle, alpha, name);
  std::vector<Operand> operands = {vector_of(x, m, incx, Use::Read), vector_of(y, n, incy, Use::Read),
                                   matrix_operand(a, m, n, lda, Use::Update)};
  factor.add_operand(operands);
  return queue(*handle, {name, matrix_work<T>(m, n), std::move(operands), {}, [=] {
                           Strided<const T> rows(x, m, incx), columns(y, n, incy);
                           T scale = factor.get();
                           for (int j = 0; j < n; j++) {
                             T right = scale * (conjugates ? conjugate(columns[j]) : columns[j]);
                             for (int i = 0; i < m; i++) a[i + static_cast<long long>(j) * lda] += rows[i] * right;
                           }
                         }});
}

// A += alpha x x^T (or x^H); with y: alpha x y^T + alpha' y x^T. One triangle.
template <typename T, typename Factor>
cublasStatus_t symmetric_update(cublasHandle_t named, const char* name, cublasFillMode_t fill, int n,
                                const Factor* alpha, const T* x, int incx, const T* y, int incy, T* a, int lda,
                                bool is_hermitian) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0 || lda < std::max(1, n) || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
  Scalar<Factor> factor(*handle, alpha, name);
  std::vector<Operand> operands = {vector_of(x, n, incx, Use::Read),
                                   matrix_operand(a, n, n, lda, Use::Update, shape_of(fill))};
  if (y) operands.push_back(vector_of(y, n, incy, Use::Read));
  factor.add_operand(operands);
  return queue(*handle, {name, matrix_work<T>(n, n), std::move(operands), {}, [=] {
                           Strided<const T> left(x, n, incx), right(y ? y : x, n, y ? incy : incx);
                           auto turned = [=](T value) { return is_hermitian ? conjugate(value) : value; };
                           T scale = T(factor.get());
                           for (int j = 0; j < n; j++) {
                             int first = is_upper(fill) ? 0 : j, last = is_upper(fill) ? j : n - 1;
                             for (int i = first; i <= last; i++) {
                               T& place = a[i + static_cast<long long>(j) * lda];
                               place += scale * left[i] * turned(right[j]);
                               if (y) place += turned(scale) * right[i] * turned(left[j]);
                               if (is_hermitian && i == j) place = T(real_part(place));
                             }
                           }
                         }});
}

template <typename T>
cublasStatus_t triangular(cublasHandle_t named, const char* name, cublasFillMode_t fill, cublasOperation_t operation,
                          cublasDiagType_t diagonal, int n, const T* a, int lda, T* x, int incx, bool solves) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0 || lda < std::max(1, n) || incx == 0) return CUBLAS_STATUS_INVALID_VALUE;
  std::vector<Operand> operands = {matrix_operand(a, n, n, lda, Use::Read, shape_of(fill)),
                                   vector_of(x, n, incx, Use::Update)};
  return queue(*handle, {name, matrix_work<T>(n, n), std::move(operands), {}, [=] {
                           Dense<T> t = with_operation(
                               triangle_from(a, n, lda, is_upper(fill), diagonal == CUBLAS_DIAG_UNIT), operation);
                           Dense<T> values = vector_from(x, n, incx);
                           if (solves)
                             solve_left(t, values, is_upper(fill) == (operation == CUBLAS_OP_N));
                           else
                             values = multiply(t, values);
                           put_combined(values, T(1), T(0), x, incx);
                         }});
}

}  // namespace

#define CUCO_MATRIX_VECTOR(P, T)                                                                                     \
  cublasStatus_t cublas##P##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,       \
                                 const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy) {         \
    return general(handle, "cublas" #P "gemv", trans, m, n, numbers(alpha), numbers(A), lda, 0, numbers(x), incx, 0, \
                   numbers(beta), numbers(y), incy, 0, 1);                                                           \
  }                                                                                                                  \
  cublasStatus_t cublas##P##gemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,         \
                                               const T* alpha, const T* A, int lda, long long strideA, const T* x,   \
                                               int incx, long long stridex, const T* beta, T* y, int incy,           \
                                               long long stridey, int batchCount) {                                  \
    return general(handle, "cublas" #P "gemvStridedBatched", trans, m, n, numbers(alpha), numbers(A), lda, strideA,  \
                   numbers(x), incx, stridex, numbers(beta), numbers(y), incy, stridey, batchCount);                 \
  }                                                                                                                  \
  cublasStatus_t cublas##P##gbmv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku,       \
                                 const T* alpha, const T* A, int lda, const T* x, int incx, const T* beta, T* y,     \
                                 int incy) {                                                                         \
    return band(handle, "cublas" #P "gbmv", trans, m, n, kl, ku, numbers(alpha), numbers(A), lda, numbers(x), incx,  \
                numbers(beta), numbers(y), incy);                                                                    \
  }                                                                                                                  \
  cublasStatus_t cublas##P##symv(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A,    \
                                 int lda, const T* x, int incx, const T* beta, T* y, int incy) {                     \
    return symmetric(handle, "cublas" #P "symv", uplo, n, numbers(alpha), numbers(A), lda, numbers(x), incx,         \
                     numbers(beta), numbers(y), incy, false);                                                        \
  }                                                                                                                  \
  cublasStatus_t cublas##P##syr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,     \
                                int incx, T* A, int lda) {                                                           \
    return symmetric_update(handle, "cublas" #P "syr", uplo, n, numbers(alpha), numbers(x), incx,                    \
                            decltype(numbers(x))(nullptr), 1, numbers(A), lda, false);                               \
  }                                                                                                                  \
  cublasStatus_t cublas##P##syr2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,    \
                                 int incx, const T* y, int incy, T* A, int lda) {                                    \
    return symmetric_update(handle, "cublas" #P "syr2", uplo, n, numbers(alpha), numbers(x), incx, numbers(y), incy, \
                            numbers(A), lda, false);                                                                 \
  }                                                                                                                  \
  cublasStatus_t cublas##P##trmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,              \
                                 cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {                \
    return triangular(handle, "cublas" #P "trmv", uplo, trans, diag, n, numbers(A), lda, numbers(x), incx, false);   \
  }                                                                                                                  \
  cublasStatus_t cublas##P##trsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,              \
                                 cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {                \
    return triangular(handle, "cublas" #P "trsv", uplo, trans, diag, n, numbers(A), lda, numbers(x), incx, true);    \
  }
#define CUCO_OUTER(NAME, T, CONJUGATES)                                                                              \
  cublasStatus_t cublas##NAME(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                              int incy, T* A, int lda) {                                                             \
    return outer(handle, "cublas" #NAME, m, n, numbers(alpha), numbers(x), incx, numbers(y), incy, numbers(A), lda,  \
                 CONJUGATES);                                                                                        \
  }
#define CUCO_HERMITIAN(P, T, R)                                                                                      \
  cublasStatus_t cublas##P##hemv(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A,    \
                                 int lda, const T* x, int incx, const T* beta, T* y, int incy) {                     \
    return symmetric(handle, "cublas" #P "hemv", uplo, n, numbers(alpha), numbers(A), lda, numbers(x), incx,         \
                     numbers(beta), numbers(y), incy, true);                                                         \
  }                                                                                                                  \
  cublasStatus_t cublas##P##her(cublasHandle_t handle, cublasFillMode_t uplo, int n, const R* alpha, const T* x,     \
                                int incx, T* A, int lda) {                                                           \
    return symmetric_update(handle, "cublas" #P "her", uplo, n, alpha, numbers(x), incx,                             \
                            decltype(numbers(x))(nullptr), 1, numbers(A), lda, true);                                \
  }                                                                                                                  \
  cublasStatus_t cublas##P##her2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,    \
                                 int incx, const T* y, int incy, T* A, int lda) {                                    \
    return symmetric_update(handle, "cublas" #P "her2", uplo, n, numbers(alpha), numbers(x), incx, numbers(y), incy, \
                            numbers(A), lda, true);                                                                  \
  }

extern "C" {

CUCO_MATRIX_VECTOR(S, float)
CUCO_MATRIX_VECTOR(D, double)
CUCO_MATRIX_VECTOR(C, cuComplex)
CUCO_MATRIX_VECTOR(Z, cuDoubleComplex)
CUCO_OUTER(Sger, float, false)
CUCO_OUTER(Dger, double, false)
CUCO_OUTER(Cgeru, cuComplex, false)
CUCO_OUTER(Cgerc, cuComplex, true)
CUCO_OUTER(Zgeru, cuDoubleComplex, false)
CUCO_OUTER(Zgerc, cuDoubleComplex, true)
CUCO_HERMITIAN(C, cuComplex, float)
CUCO_HERMITIAN(Z, cuDoubleComplex, double)
}
