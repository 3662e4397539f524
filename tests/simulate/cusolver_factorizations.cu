// cuSOLVER: factorizations multiplied back, systems solved, eigenvalues and singular values put together again.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                  \
  do {                                                               \
    if (int result_ = static_cast<int>(call)) {                      \
      std::printf("%s:%d: error %d\n", __FILE__, __LINE__, result_); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

using Matrix = std::vector<double>;
constexpr int n = 6, m = 8;

template <typename T>
struct Buffer {
  explicit Buffer(const std::vector<T>& values) : count(values.size()) {
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { CHECK(cudaFree(data)); }
  Buffer(const Buffer&) = delete;
  std::vector<T> get() const {
    std::vector<T> values(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  T* data;
  size_t count;
};

Matrix ramp(int rows, int columns) {
  Matrix values(rows * columns);
  for (int i = 0; i < rows * columns; i++) values[i] = (i * 7 + 3) % 11 - 5;
  return values;
}
// Symmetric, and positive definite by its diagonal.
Matrix symmetric() {
  Matrix a = ramp(n, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) a[i + j * n] = a[j + i * n];
  for (int i = 0; i < n; i++) a[i + i * n] = 40 + i;
  return a;
}
bool differs(double a, double b) { return std::fabs(a - b) > 1e-10 * (1 + std::fabs(b)); }

struct Solver {
  cusolverDnHandle_t handle;
  Buffer<int> info{std::vector<int>{-1}};
  Buffer<double> work{Matrix(4096)};

  Solver() { CHECK(cusolverDnCreate(&handle)); }
  ~Solver() { CHECK(cusolverDnDestroy(handle)); }
  long failed() const { return info.get()[0] != 0; }
};

long check_cholesky(Solver& solver, cublasFillMode_t fill) {
  Matrix a = symmetric(), b = ramp(n, 2);
  Buffer<double> da(a), db(b);
  int size = 0;
  CHECK(cusolverDnDpotrf_bufferSize(solver.handle, fill, n, da.data, n, &size));
  CHECK(cusolverDnDpotrf(solver.handle, fill, n, da.data, n, solver.work.data, size, solver.info.data));
  long wrong = solver.failed();
  CHECK(cusolverDnDpotrs(solver.handle, fill, n, 2, da.data, n, db.data, n, solver.info.data));
  Matrix x = db.get();
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += a[i + l * n] * x[l + j * n];
      wrong += differs(sum, b[i + j * n]);
    }
  Buffer<double> bad(Matrix{1, 2, 2, 1});
  CHECK(cusolverDnDpotrf(solver.handle, fill, 2, bad.data, 2, solver.work.data, size, solver.info.data));
  return wrong + (solver.info.get()[0] != 2);
}

long check_lu(Solver& solver) {
  Matrix a = ramp(n, n), b = ramp(n, 1);
  for (int i = 0; i < n; i++) a[(i + 1) % n + i * n] += 15;  // Rows have to be exchanged.
  Buffer<double> da(a), db(b), again(b);
  Buffer<int> pivots{std::vector<int>(n)};
  CHECK(cusolverDnDgetrf(solver.handle, n, n, da.data, n, solver.work.data, pivots.data, solver.info.data));
  CHECK(cusolverDnDgetrs(solver.handle, CUBLAS_OP_N, n, 1, da.data, n, pivots.data, db.data, n, solver.info.data));
  CHECK(cusolverDnDgetrs(solver.handle, CUBLAS_OP_T, n, 1, da.data, n, pivots.data, again.data, n, solver.info.data));
  Matrix x = db.get(), y = again.get();
  long wrong = solver.failed();
  for (int i = 0; i < n; i++) {
    double sum = 0, turned = 0;
    for (int l = 0; l < n; l++) sum += a[i + l * n] * x[l], turned += a[l + i * n] * y[l];
    wrong += differs(sum, b[i]) + differs(turned, b[i]);
  }
  return wrong;
}

long check_qr(Solver& solver) {
  Matrix a = ramp(m, n);
  a[1] = 9;
  Buffer<double> da(a), q(a), taus{Matrix(n)}, rotated(a);
  CHECK(cusolverDnDgeqrf(solver.handle, m, n, da.data, m, taus.data, solver.work.data, 64, solver.info.data));
  CHECK(cusolverDnDormqr(solver.handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, n, n, da.data, m, taus.data, rotated.data, m,
                         solver.work.data, 64, solver.info.data));
  Matrix r = da.get(), qta = rotated.get();
  CHECK(cudaMemcpy(q.data, da.data, m * n * sizeof(double), cudaMemcpyDeviceToDevice));
  CHECK(cusolverDnDorgqr(solver.handle, m, n, n, q.data, m, taus.data, solver.work.data, 64, solver.info.data));
  Matrix basis = q.get();
  long wrong = solver.failed();
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l <= j; l++) sum += basis[i + l * m] * r[l + j * m];
      wrong += differs(sum, a[i + j * m]);
      wrong += std::fabs(qta[i + j * m] - (i <= j ? r[i + j * m] : 0)) > 1e-10;
    }
  return wrong;
}

long check_eigenvalues(Solver& solver) {
  Matrix a = symmetric();
  Buffer<double> da(a), values{Matrix(n)};
  CHECK(cusolverDnDsyevd(solver.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.data, n, values.data,
                         solver.work.data, 64, solver.info.data));
  Matrix w = values.get(), v = da.get();
  long wrong = solver.failed();
  for (int j = 0; j < n; j++) {
    wrong += j > 0 && w[j] < w[j - 1];
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += a[i + l * n] * v[l + j * n];
      wrong += std::fabs(sum - w[j] * v[i + j * n]) > 1e-9;
    }
  }
  return wrong;
}

long check_complex_eigenvalues(Solver& solver) {
  using Complex = std::complex<double>;
  std::vector<Complex> a = {2, {0, -1}, {0, 1}, 2};  // Eigenvalues 1 and 3.
  Buffer<Complex> da(a);
  Buffer<double> values{Matrix(2)};
  auto* data = reinterpret_cast<cuDoubleComplex*>(da.data);
  CHECK(cusolverDnZheevd(solver.handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, 2, data, 2, values.data,
                         reinterpret_cast<cuDoubleComplex*>(solver.work.data), 64, solver.info.data));
  Matrix w = values.get();
  return differs(w[0], 1) + differs(w[1], 3);
}

long check_singular_values(Solver& solver) {
  Matrix a = ramp(m, n);
  Buffer<double> da(a), s{Matrix(n)}, u{Matrix(m * m)}, vt{Matrix(n * n)};
  CHECK(cusolverDnDgesvd(solver.handle, 'A', 'A', m, n, da.data, m, s.data, u.data, m, vt.data, n, solver.work.data, 64,
                         nullptr, solver.info.data));
  Matrix sizes = s.get(), left = u.get(), right = vt.get();
  long wrong = solver.failed();
  for (int j = 0; j < n; j++) {
    wrong += j > 0 && sizes[j] > sizes[j - 1];
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += left[i + l * m] * sizes[l] * right[l + j * n];
      wrong += std::fabs(sum - a[i + j * m]) > 1e-9;
    }
  }
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      double dot = 0;
      for (int l = 0; l < m; l++) dot += left[l + i * m] * left[l + j * m];
      wrong += std::fabs(dot - (i == j)) > 1e-10;
    }
  return wrong;
}

int main() {
  Solver solver;
  long wrong = check_cholesky(solver, CUBLAS_FILL_MODE_LOWER) + check_cholesky(solver, CUBLAS_FILL_MODE_UPPER) +
               check_lu(solver) + check_qr(solver) + check_eigenvalues(solver) + check_complex_eigenvalues(solver) +
               check_singular_values(solver);
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
