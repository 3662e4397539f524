// cuSOLVER: dense factorizations as LAPACK defines their results. Eigenvalues and singular values come from Jacobi's
// rotations in double precision.
#include <cusolverDn.h>

#include <cmath>
#include <numeric>

#include "vcluster/runtime/api/libraries/blas.h"

using namespace cuco::vcluster;

struct cusolverDnContext {
  cudaStream_t stream = nullptr;
};

namespace {

constexpr int kWorkspace = 64;  // Elements that every call asks for. What is given is not used.

cusolverDnContext* solver_of(cusolverDnHandle_t handle) { return Handles<cusolverDnContext>::find(handle); }

cusolverStatus_t queue_call(const cusolverDnContext& handle, LibraryCall call) {
  bool is_queued = issue_library_call(handle.stream, std::move(call));
  return is_queued ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t give_size(cusolverDnHandle_t handle, bool is_valid, int* size) {
  if (!solver_of(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_valid || !size) return CUSOLVER_STATUS_INVALID_VALUE;
  *size = kWorkspace;
  return CUSOLVER_STATUS_SUCCESS;
}

Operand info_operand(const int* info, long long count = 1, Use use = Use::Write) {
  return {info, sizeof(int), count, 1, count, use};
}

template <typename T>
LibraryWork cholesky_work(double n) {
  return library_work::cholesky(n, sizeof(T), kOperationsEach<T>, kUnit<T>);
}
template <typename T>
LibraryWork solve_work(double n, double columns) {
  return library_work::product(n, columns, n, 1, sizeof(T), kOperationsEach<T>, kUnit<T>);
}

// The factor's triangle in place of the matrix's; 0, or the order of the first minor that is not positive.
template <typename T>
int factor_cholesky(T* a, int n, int lda, bool upper) {
  auto at = [=](int row, int column) -> T& {
    return upper ? a[column + static_cast<long long>(row) * lda] : a[row + static_cast<long long>(column) * lda];
  };
  // With the lower triangle L of A = L L^H; the upper one is U = L^H, stored the other way round and conjugated.
  for (int k = 0; k < n; k++) {
    Real<T> pivot = real_part(at(k, k));
    for (int j = 0; j < k; j++) pivot -= std::norm(at(k, j));
    if (!(pivot > 0)) return k + 1;
    pivot = std::sqrt(pivot);
    at(k, k) = T(pivot);
    for (int row = k + 1; row < n; row++) {
      T sum = at(row, k);
      for (int j = 0; j < k; j++) sum -= upper ? conjugate(at(k, j)) * at(row, j) : at(row, j) * conjugate(at(k, j));
      at(row, k) = sum / pivot;
    }
  }
  return 0;
}

template <typename T>
cusolverStatus_t cholesky(cusolverDnHandle_t named, const char* name, cublasFillMode_t fill, int n, T* a, int lda,
                          int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || lda < std::max(1, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  return queue_call(*handle, {name,
                              cholesky_work<T>(n),
                              {matrix_operand(a, n, n, lda, Use::Update, shape_of(fill)), info_operand(info)},
                              {},
                              [=] { *info = factor_cholesky(a, n, lda, is_upper(fill)); }});
}

// X of A X = B by A's Cholesky factor.
template <typename T>
void solve_by_cholesky(const T* a, int n, int lda, bool upper, Dense<T>& b) {
  Dense<T> factor = triangle_from(a, n, lda, upper, false), turned = transposed(factor, true);
  solve_left(upper ? turned : factor, b, false);
  solve_left(upper ? factor : turned, b, true);
}
template <typename T>
cusolverStatus_t cholesky_solve(cusolverDnHandle_t named, const char* name, cublasFillMode_t fill, int n, int columns,
                                const T* a, int lda, T* b, int ldb, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  return queue_call(*handle, {name,
                              solve_work<T>(n, columns),
                              {matrix_operand(a, n, n, lda, Use::Read, shape_of(fill)),
                               matrix_operand(b, n, columns, ldb, Use::Update), info_operand(info)},
                              {},
                              [=] {
                                Dense<T> right = dense_from<T>(b, n, columns, ldb);
                                solve_by_cholesky(a, n, lda, is_upper(fill), right);
                                put_dense(right, b, ldb);
                                *info = 0;
                              }});
}
template <typename T>
cusolverStatus_t cholesky_invert(cusolverDnHandle_t named, const char* name, cublasFillMode_t fill, int n, T* a,
                                 int lda, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || lda < std::max(1, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  return queue_call(*handle, {name,
                              solve_work<T>(n, n),
                              {matrix_operand(a, n, n, lda, Use::Update, shape_of(fill)), info_operand(info)},
                              {},
                              [=] {
                                Dense<T> inverse = identity<T>(n);
                                solve_by_cholesky<T>(a, n, lda, is_upper(fill), inverse);
                                for (int j = 0; j < n; j++)
                                  for (int i = is_upper(fill) ? 0 : j; i <= (is_upper(fill) ? j : n - 1); i++)
                                    a[i + static_cast<long long>(j) * lda] = inverse.at(i, j);
                                *info = 0;
                              }});
}

template <typename T>
cusolverStatus_t lu(cusolverDnHandle_t named, const char* name, int m, int n, T* a, int lda, int* pivots, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || lda < std::max(1, m)) return CUSOLVER_STATUS_INVALID_VALUE;
  std::vector<Operand> operands = {matrix_operand(a, m, n, lda, Use::Update), info_operand(info)};
  if (pivots) operands.push_back(info_operand(pivots, std::min(m, n)));
  LibraryWork work = library_work::lu(m, n, sizeof(T), kOperationsEach<T>, kUnit<T>);
  return queue_call(*handle, {name, work, std::move(operands), {}, [=] {
                                Dense<T> factors = dense_from<T>(a, m, n, lda);
                                std::vector<int> rows;
                                *info = factor_lu(factors, pivots ? &rows : nullptr);
                                put_dense(factors, a, lda);
                                std::copy(rows.begin(), rows.end(), pivots);
                              }});
}
template <typename T>
cusolverStatus_t lu_solve(cusolverDnHandle_t named, const char* name, cublasOperation_t operation, int n, int columns,
                          const T* a, int lda, const int* pivots, T* b, int ldb, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  std::vector<Operand> operands = {matrix_operand(a, n, n, lda, Use::Read),
                                   matrix_operand(b, n, columns, ldb, Use::Update), info_operand(info)};
  if (pivots) operands.push_back(info_operand(pivots, n, Use::Read));
  return queue_call(*handle, {name, solve_work<T>(n, columns), std::move(operands), {}, [=] {
                                Dense<T> right = dense_from<T>(b, n, columns, ldb);
                                std::vector<int> rows;
                                if (pivots) rows.assign(pivots, pivots + n);
                                solve_by_lu(dense_from(a, n, n, lda), rows, operation, right);
                                put_dense(right, b, ldb);
                                *info = 0;
                              }});
}

// Applies H = I - tau v v^H to the columns of c from `first` on; v is 1 in row k and a's column below.
template <typename T>
void reflect(const Dense<T>& a, long long k, T tau, Dense<T>& c, long long first) {
  for (long long column = first; column < c.columns; column++) {
    T sum = c.at(k, column);
    for (long long row = k + 1; row < a.rows; row++) sum += conjugate(a.at(row, k)) * c.at(row, column);
    sum *= tau;
    c.at(k, column) -= sum;
    for (long long row = k + 1; row < a.rows; row++) c.at(row, column) -= a.at(row, k) * sum;
  }
}

// R above, the reflectors below the diagonal, as LAPACK's geqrf leaves them.
template <typename T>
std::vector<T> factor_qr(Dense<T>& a) {
  std::vector<T> taus(static_cast<size_t>(std::min(a.rows, a.columns)));
  for (long long k = 0; k < static_cast<long long>(taus.size()); k++) {
    Real<T> below = 0;
    for (long long row = k + 1; row < a.rows; row++) below += std::norm(a.at(row, k));
    T alpha = a.at(k, k);
    bool is_real = alpha == T(real_part(alpha));
    if (below == 0 && is_real) continue;
    Real<T> norm = std::sqrt(std::norm(alpha) + below), beta = real_part(alpha) > 0 ? -norm : norm;
    T tau = (T(beta) - alpha) / T(beta);
    for (long long row = k + 1; row < a.rows; row++) a.at(row, k) /= alpha - T(beta);
    taus[static_cast<size_t>(k)] = tau;
    reflect(a, k, conjugate(tau), a, k + 1);
    a.at(k, k) = T(beta);
  }
  return taus;
}

template <typename T>
LibraryWork qr_work(double m, double n) {
  return library_work::qr(m, n, sizeof(T), kOperationsEach<T>, kUnit<T>);
}

template <typename T>
cusolverStatus_t qr(cusolverDnHandle_t named, const char* name, int m, int n, T* a, int lda, T* taus, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || lda < std::max(1, m)) return CUSOLVER_STATUS_INVALID_VALUE;
  return queue_call(*handle, {name,
                              qr_work<T>(m, n),
                              {matrix_operand(a, m, n, lda, Use::Update),
                               vector_of(taus, std::min(m, n), 1, Use::Write), info_operand(info)},
                              {},
                              [=] {
                                Dense<T> factors = dense_from<T>(a, m, n, lda);
                                std::vector<T> made = factor_qr(factors);
                                put_dense(factors, a, lda);
                                std::copy(made.begin(), made.end(), taus);
                                *info = 0;
                              }});
}

// c = op(Q) c, with Q = H_1 H_2 ... of the reflectors in a.
template <typename T>
void apply_q(const Dense<T>& a, const T* taus, long long count, bool turns, Dense<T>& c) {
  for (long long step = 0; step < count; step++) {
    long long k = turns ? step : count - 1 - step;
    reflect(a, k, turns ? conjugate(taus[k]) : taus[k], c, 0);
  }
}

template <typename T>
cusolverStatus_t make_q(cusolverDnHandle_t named, const char* name, int m, int n, int k, T* a, int lda, const T* taus,
                        int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || n > m || k < 0 || k > n || lda < std::max(1, m)) return CUSOLVER_STATUS_INVALID_VALUE;
  return queue_call(*handle,
                    {name,
                     qr_work<T>(m, n),
                     {matrix_operand(a, m, n, lda, Use::Update), vector_of(taus, k, 1, Use::Read), info_operand(info)},
                     {},
                     [=] {
                       Dense<T> reflectors = dense_from<T>(a, m, n, lda), q(m, n);
                       for (int i = 0; i < n; i++) q.at(i, i) = T(1);
                       apply_q(reflectors, taus, k, false, q);
                       put_dense(q, a, lda);
                       *info = 0;
                     }});
}

template <typename T>
cusolverStatus_t multiply_q(cusolverDnHandle_t named, const char* name, cublasSideMode_t side,
                            cublasOperation_t operation, int m, int n, int k, const T* a, int lda, const T* taus, T* c,
                            int ldc, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  int order = side == CUBLAS_SIDE_LEFT ? m : n;
  if (m < 0 || n < 0 || k < 0 || k > order || lda < std::max(1, order) || ldc < std::max(1, m))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return queue_call(*handle, {name,
                              qr_work<T>(m, n),
                              {matrix_operand(a, order, k, lda, Use::Read), vector_of(taus, k, 1, Use::Read),
                               matrix_operand(c, m, n, ldc, Use::Update), info_operand(info)},
                              {},
                              [=] {
                                Dense<T> reflectors = dense_from(a, order, k, lda), other = dense_from<T>(c, m, n, ldc);
                                bool turns = operation != CUBLAS_OP_N;
                                if (side == CUBLAS_SIDE_LEFT) {
                                  apply_q(reflectors, taus, k, turns, other);
                                } else {  // C op(Q) is the mirror image of op(Q)^H C^H.
                                  Dense<T> mirror = transposed(other, true);
                                  apply_q(reflectors, taus, k, !turns, mirror);
                                  other = transposed(mirror, true);
                                }
                                put_dense(other, c, ldc);
                                *info = 0;
                              }});
}

template <typename T>
using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;
template <typename T>
Dense<Wide<T>> widened(const Dense<T>& from) {
  Dense<Wide<T>> result(from.rows, from.columns);
  for (size_t i = 0; i < from.values.size(); i++) result.values[i] = Wide<T>(from.values[i]);
  return result;
}

// A rotation of two columns that makes the angle between them, or an element beside the diagonal, vanish.
template <typename W>
struct Rotation {
  double c = 1, s = 0;
  W turn = W(1);  // The second column is turned by this first.

  Rotation(W gamma, double first, double second) {
    double size = std::abs(gamma), zeta = (second - first) / (2 * size);
    double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
    c = 1 / std::sqrt(1 + t * t), s = c * t;
    turn = conjugate(gamma) / W(size);
  }
  void apply(Dense<W>& to, long long p, long long q) const {
    for (long long row = 0; row < to.rows; row++) {
      W a = to.at(row, p), b = to.at(row, q) * turn;
      to.at(row, p) = c * a - s * b;
      to.at(row, q) = s * a + c * b;
    }
  }
};

constexpr int kSweepsMax = 60;

// Turns a Hermitian matrix into a diagonal one; `vectors` are turned along.
template <typename W>
void diagonalise(Dense<W>& a, Dense<W>& vectors) {
  for (int sweep = 0; sweep < kSweepsMax; sweep++) {
    double beside = 0, all = 0;
    for (long long j = 0; j < a.columns; j++)
      for (long long i = 0; i < a.rows; i++) (i == j ? all : beside) += std::norm(a.at(i, j));
    if (beside <= 1e-32 * (all + beside)) return;
    for (long long p = 0; p < a.rows; p++)
      for (long long q = p + 1; q < a.rows; q++) {
        if (a.at(p, q) == W(0)) continue;
        Rotation<W> rotation(a.at(p, q), real_part(a.at(p, p)), real_part(a.at(q, q)));
        rotation.apply(a, p, q);
        Dense<W> rows = transposed(a, true);
        rotation.apply(rows, p, q);
        a = transposed(rows, true);
        rotation.apply(vectors, p, q);
      }
  }
}

template <typename Less>
std::vector<long long> order_by(long long count, Less less) {
  std::vector<long long> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0ll);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

template <typename T>
void find_eigenvalues(T* a, int n, int lda, bool upper, Real<T>* values, bool wants_vectors) {
  using W = Wide<T>;
  Dense<W> matrix = widened(symmetric_from<T>(a, n, lda, upper, true)), vectors = identity<W>(n);
  diagonalise(matrix, vectors);
  auto value = [&](long long i) { return real_part(matrix.at(i, i)); };
  std::vector<long long> order = order_by(n, [&](long long i, long long j) { return value(i) < value(j); });
  for (int j = 0; j < n; j++) {
    long long from = order[static_cast<size_t>(j)];
    values[j] = static_cast<Real<T>>(value(from));
    for (int i = 0; wants_vectors && i < n; i++) a[i + static_cast<long long>(j) * lda] = T(vectors.at(i, from));
  }
}
template <typename T>
cusolverStatus_t eigenvalues(cusolverDnHandle_t named, const char* name, cusolverEigMode_t mode, cublasFillMode_t fill,
                             int n, T* a, int lda, Real<T>* values, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || lda < std::max(1, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  bool wants_vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  std::vector<Operand> operands = {matrix_operand(a, n, n, lda, Use::Read, shape_of(fill)),
                                   vector_of(values, n, 1, Use::Write), info_operand(info)};
  if (wants_vectors) operands.push_back(matrix_operand(a, n, n, lda, Use::Write));
  LibraryWork work = library_work::eigenvalues(n, sizeof(T), kOperationsEach<T>, kUnit<T>);
  return queue_call(*handle, {name, work, std::move(operands), {}, [=] {
                                find_eigenvalues(a, n, lda, is_upper(fill), values, wants_vectors);
                                *info = 0;
                              }});
}

// Makes the columns orthogonal to each other; `right` is turned along. A = (columns) (right)^H afterwards.
template <typename W>
void orthogonalise(Dense<W>& a, Dense<W>& right) {
  for (int sweep = 0; sweep < kSweepsMax; sweep++) {
    bool is_done = true;
    for (long long p = 0; p < a.columns; p++)
      for (long long q = p + 1; q < a.columns; q++) {
        double first = 0, second = 0;
        W gamma(0);
        for (long long row = 0; row < a.rows; row++) {
          first += std::norm(a.at(row, p)), second += std::norm(a.at(row, q));
          gamma += conjugate(a.at(row, p)) * a.at(row, q);
        }
        if (std::abs(gamma) <= 1e-16 * std::sqrt(first * second) || gamma == W(0)) continue;
        is_done = false;
        Rotation<W> rotation(gamma, first, second);
        rotation.apply(a, p, q);
        rotation.apply(right, p, q);
      }
    if (is_done) return;
  }
}

// Columns of length 1 at right angles; those that are missing are made of unit vectors.
template <typename W>
void complete_basis(Dense<W>& basis, long long known) {
  long long next_unit = 0;
  for (long long column = known; column < basis.columns;) {
    for (long long row = 0; row < basis.rows; row++) basis.at(row, column) = W(row == next_unit ? 1 : 0);
    next_unit++;
    double size = 0;
    for (int pass = 0; pass < 2; pass++) {
      for (long long other = 0; other < column; other++) {
        W share(0);
        for (long long row = 0; row < basis.rows; row++)
          share += conjugate(basis.at(row, other)) * basis.at(row, column);
        for (long long row = 0; row < basis.rows; row++) basis.at(row, column) -= share * basis.at(row, other);
      }
      size = 0;
      for (long long row = 0; row < basis.rows; row++) size += std::norm(basis.at(row, column));
    }
    if (size < 1e-8) continue;
    for (long long row = 0; row < basis.rows; row++) basis.at(row, column) /= W(std::sqrt(size));
    column++;
  }
}

template <typename T>
struct SingularCall {
  int m, n;
  T* a;
  int lda;
  Real<T>* s;
  T* u;
  int ldu;
  T* vt;
  int ldvt;
  long long u_columns, vt_rows;  // 0: not wanted.
};

template <typename T>
void find_singular_values(const SingularCall<T>& call) {
  using W = Wide<T>;
  Dense<W> columns = widened(dense_from<T>(call.a, call.m, call.n, call.lda)), right = identity<W>(call.n);
  orthogonalise(columns, right);
  std::vector<double> sizes(static_cast<size_t>(call.n));
  for (long long j = 0; j < call.n; j++) {
    double size = 0;
    for (long long row = 0; row < call.m; row++) size += std::norm(columns.at(row, j));
    sizes[static_cast<size_t>(j)] = std::sqrt(size);
  }
  std::vector<long long> order = order_by(
      call.n, [&](long long i, long long j) { return sizes[static_cast<size_t>(i)] > sizes[static_cast<size_t>(j)]; });
  Dense<W> u(call.m, std::max<long long>(call.u_columns, call.n));
  long long known = 0;
  for (long long j = 0; j < call.n; j++) {
    long long from = order[static_cast<size_t>(j)];
    double size = sizes[static_cast<size_t>(from)];
    call.s[j] = static_cast<Real<T>>(size);
    for (long long i = 0; i < call.vt_rows; i++) call.vt[j + i * call.ldvt] = T(conjugate(right.at(i, from)));
    if (size <= 1e-300 || known < j) continue;
    for (long long row = 0; row < call.m; row++) u.at(row, j) = columns.at(row, from) / W(size);
    known = j + 1;
  }
  if (call.u_columns == 0) return;
  complete_basis(u, known);
  for (long long j = 0; j < call.u_columns; j++)
    for (long long i = 0; i < call.m; i++) call.u[i + j * call.ldu] = T(u.at(i, j));
}

template <typename T>
cusolverStatus_t singular_values(cusolverDnHandle_t named, const char* name, signed char wants_u, signed char wants_vt,
                                 SingularCall<T> call, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  bool is_known = std::string_view("ASN").find(static_cast<char>(wants_u)) != std::string_view::npos &&
                  std::string_view("ASN").find(static_cast<char>(wants_vt)) != std::string_view::npos;
  if (!is_known) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (call.n < 0 || call.m < call.n || call.lda < std::max(1, call.m)) return CUSOLVER_STATUS_INVALID_VALUE;
  call.u_columns = wants_u == 'A' ? call.m : wants_u == 'S' ? call.n : 0;
  call.vt_rows = wants_vt == 'N' ? 0 : call.n;
  std::vector<Operand> operands = {matrix_operand(call.a, call.m, call.n, call.lda, Use::Update),
                                   vector_of(call.s, call.n, 1, Use::Write), info_operand(info)};
  if (call.u_columns > 0) operands.push_back(matrix_operand(call.u, call.m, call.u_columns, call.ldu, Use::Write));
  if (call.vt_rows > 0) operands.push_back(matrix_operand(call.vt, call.n, call.n, call.ldvt, Use::Write));
  LibraryWork work = library_work::singular_values(call.m, call.n, sizeof(T), kOperationsEach<T>, kUnit<T>);
  return queue_call(*handle, {name, work, std::move(operands), {}, [=] {
                                find_singular_values(call);
                                *info = 0;
                              }});
}

template <typename T>
cusolverStatus_t invert_triangle(const cusolverDnContext& handle, cublasFillMode_t fill, cublasDiagType_t diagonal,
                                 int64_t n, void* data, int64_t lda, int* info) {
  T* a = static_cast<T*>(data);
  std::vector<Operand> operands = {matrix_operand(a, n, n, lda, Use::Update, shape_of(fill)), info_operand(info)};
  return queue_call(handle,
                    {"cusolverDnXtrtri", cholesky_work<T>(static_cast<double>(n)), std::move(operands), {}, [=] {
                       Dense<T> inverse = identity<T>(n);
                       solve_left(triangle_from<T>(a, n, lda, is_upper(fill), diagonal == CUBLAS_DIAG_UNIT), inverse,
                                  is_upper(fill));
                       for (int64_t j = 0; j < n; j++)
                         for (int64_t i = is_upper(fill) ? 0 : j; i <= (is_upper(fill) ? j : n - 1); i++)
                           if (i != j || diagonal != CUBLAS_DIAG_UNIT) a[i + j * lda] = inverse.at(i, j);
                       *info = 0;
                     }});
}

}  // namespace

#define CUCO_SOLVER(P, T, R, Q, E)                                                                                     \
  cusolverStatus_t cusolverDn##P##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, int n, T*, int lda,    \
                                                   int* Lwork) {                                                       \
    return give_size(handle, n >= 0 && lda >= std::max(1, n), Lwork);                                                  \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, T*,    \
                                        int, int* devInfo) {                                                           \
    return cholesky(handle, "cusolverDn" #P "potrf", uplo, n, numbers(A), lda, devInfo);                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T* A, \
                                        int lda, T* B, int ldb, int* devInfo) {                                        \
    return cholesky_solve(handle, "cusolverDn" #P "potrs", uplo, n, nrhs, numbers(A), lda, numbers(B), ldb, devInfo);  \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##potri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, int n, T*, int lda,    \
                                                   int* lwork) {                                                       \
    return give_size(handle, n >= 0 && lda >= std::max(1, n), lwork);                                                  \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, T*,    \
                                        int, int* devInfo) {                                                           \
    return cholesky_invert(handle, "cusolverDn" #P "potri", uplo, n, numbers(A), lda, devInfo);                        \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T*, int lda, int* Lwork) { \
    return give_size(handle, m >= 0 && n >= 0 && lda >= std::max(1, m), Lwork);                                        \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, T*, int* devIpiv,      \
                                        int* devInfo) {                                                                \
    return lu(handle, "cusolverDn" #P "getrf", m, n, numbers(A), lda, devIpiv, devInfo);                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs,           \
                                        const T* A, int lda, const int* devIpiv, T* B, int ldb, int* devInfo) {        \
    return lu_solve(handle, "cusolverDn" #P "getrs", trans, n, nrhs, numbers(A), lda, devIpiv, numbers(B), ldb,        \
                    devInfo);                                                                                          \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T*, int lda, int* lwork) { \
    return give_size(handle, m >= 0 && n >= 0 && lda >= std::max(1, m), lwork);                                        \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, T* TAU, T*, int,       \
                                        int* devInfo) {                                                                \
    return qr(handle, "cusolverDn" #P "geqrf", m, n, numbers(A), lda, numbers(TAU), devInfo);                          \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Q##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T*, int lda,    \
                                                 const T*, int* lwork) {                                               \
    return give_size(handle, k >= 0 && n >= k && m >= n && lda >= std::max(1, m), lwork);                              \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Q##gqr(cusolverDnHandle_t handle, int m, int n, int k, T* A, int lda, const T* tau, T*, \
                                      int, int* info) {                                                                \
    return make_q(handle, "cusolverDn" #Q "gqr", m, n, k, numbers(A), lda, numbers(tau), info);                        \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Q##mqr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t, cublasOperation_t,       \
                                                 int m, int n, int k, const T*, int, const T*, const T*, int,          \
                                                 int* lwork) {                                                         \
    return give_size(handle, m >= 0 && n >= 0 && k >= 0, lwork);                                                       \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Q##mqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans,       \
                                      int m, int n, int k, const T* A, int lda, const T* tau, T* C, int ldc, T*, int,  \
                                      int* devInfo) {                                                                  \
    return multiply_q(handle, "cusolverDn" #Q "mqr", side, trans, m, n, k, numbers(A), lda, numbers(tau), numbers(C),  \
                      ldc, devInfo);                                                                                   \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##E##evd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t,       \
                                                 int n, const T*, int lda, const R*, int* lwork) {                     \
    return give_size(handle, n >= 0 && lda >= std::max(1, n), lwork);                                                  \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##E##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, \
                                      T* A, int lda, R* W, T*, int, int* info) {                                       \
    return eigenvalues(handle, "cusolverDn" #E "evd", jobz, uplo, n, numbers(A), lda, W, info);                        \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* lwork) {              \
    return give_size(handle, n >= 0 && m >= n, lwork);                                                                 \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n,  \
                                        T* A, int lda, R* S, T* U, int ldu, T* VT, int ldvt, T*, int, R*, int* info) { \
    SingularCall<NumberOf<T>::type> call = {m, n, numbers(A), lda, S, numbers(U), ldu, numbers(VT), ldvt, 0, 0};       \
    return singular_values(handle, "cusolverDn" #P "gesvd", jobu, jobvt, call, info);                                  \
  }

extern "C" {

CUCO_SOLVER(S, float, float, Sor, Ssy)
CUCO_SOLVER(D, double, double, Dor, Dsy)
CUCO_SOLVER(C, cuComplex, float, Cun, Che)
CUCO_SOLVER(Z, cuDoubleComplex, double, Zun, Zhe)

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (!handle) return CUSOLVER_STATUS_INVALID_VALUE;
  *handle = Handles<cusolverDnContext>::open(new cusolverDnContext);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete Handles<cusolverDnContext>::close(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  cusolverDnContext* context = solver_of(handle);
  if (!context) return CUSOLVER_STATUS_NOT_INITIALIZED;
  context->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
  const cusolverDnContext* context = solver_of(handle);
  if (!context) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *stream = context->stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t, cublasDiagType_t, int64_t n,
                                             cudaDataType, void*, int64_t lda, size_t* device_bytes,
                                             size_t* host_bytes) {
  if (!solver_of(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || lda < std::max<int64_t>(1, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  *device_bytes = 256, *host_bytes = 0;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t named, cublasFillMode_t fill, cublasDiagType_t diagonal, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, void*, size_t, void*, size_t, int* info) {
  const cusolverDnContext* handle = solver_of(named);
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || lda < std::max<int64_t>(1, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  switch (type) {
    case CUDA_R_32F:
      return invert_triangle<float>(*handle, fill, diagonal, n, a, lda, info);
    case CUDA_R_64F:
      return invert_triangle<double>(*handle, fill, diagonal, n, a, lda, info);
    case CUDA_C_32F:
      return invert_triangle<std::complex<float>>(*handle, fill, diagonal, n, a, lda, info);
    case CUDA_C_64F:
      return invert_triangle<std::complex<double>>(*handle, fill, diagonal, n, a, lda, info);
    default:
      return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}
}
