// cuBLAS beyond the product: vectors, triangles, symmetric matrices, batches by pointers, scalars on the device.
// Each result is compared with loops of the program's own.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cublas_v2.h>

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

using Complex = std::complex<double>;

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
    CHECK(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  T* data;
  size_t count;
};

std::vector<double> ramp(size_t count, int step, int shift = 3) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; i++) values[i] = double(int((i + 1) * step % 11) - shift);
  return values;
}
bool differs(double a, double b) { return std::fabs(a - b) > 1e-9 * (1 + std::fabs(b)); }

long check_vectors(cublasHandle_t handle) {
  std::vector<double> x = ramp(30, 3), y = ramp(20, 5);
  Buffer<double> dx(x), dy(y);
  double alpha = 2, dot, norm, sum;
  int largest;
  CHECK(cublasDaxpy(handle, 10, &alpha, dx.data, 3, dy.data, -2));  // y runs backwards.
  CHECK(cublasDdot(handle, 30, dx.data, 1, dx.data, 1, &dot));
  CHECK(cublasDnrm2(handle, 30, dx.data, 1, &norm));
  CHECK(cublasDasum(handle, 30, dx.data, 1, &sum));
  CHECK(cublasIdamax(handle, 30, dx.data, 1, &largest));
  std::vector<double> got = dy.get();
  long wrong = 0;
  for (int i = 0; i < 10; i++) y[18 - 2 * i] += alpha * x[3 * i];
  for (int i = 0; i < 20; i++) wrong += got[i] != y[i];
  double squares = 0, sizes = 0;
  int best = 0;
  for (int i = 0; i < 30; i++) {
    squares += x[i] * x[i], sizes += std::fabs(x[i]);
    if (std::fabs(x[i]) > std::fabs(x[best])) best = i;
  }
  return wrong + (dot != squares) + differs(norm, std::sqrt(squares)) + (sum != sizes) + (largest != best + 1);
}

long check_scalars_on_device(cublasHandle_t handle) {
  Buffer<double> x(ramp(16, 2)), scalars({3.0, 0.0});
  CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  CHECK(cublasDscal(handle, 16, scalars.data, x.data, 1));
  CHECK(cublasDdot(handle, 16, x.data, 1, x.data, 1, scalars.data + 1));
  CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  double sum = 0;
  for (double value : ramp(16, 2)) sum += 9 * value * value;
  return scalars.get()[1] != sum;
}

long check_matrix_vector(cublasHandle_t handle) {
  constexpr int m = 7, n = 5, ld = 9;
  std::vector<double> a = ramp(ld * n, 7), x = ramp(m, 2), y = ramp(n, 4);
  Buffer<double> da(a), dx(x), dy(y);
  double alpha = 2, beta = -1;
  CHECK(cublasDgemv(handle, CUBLAS_OP_T, m, n, &alpha, da.data, ld, dx.data, 1, &beta, dy.data, 1));
  CHECK(cublasDger(handle, m, n, &alpha, dx.data, 1, dy.data, 1, da.data, ld));
  std::vector<double> got = dy.get(), got_a = da.get();
  long wrong = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += a[i + j * ld] * x[i];
    wrong += got[j] != alpha * sum + beta * y[j];
    for (int i = 0; i < m; i++) wrong += got_a[i + j * ld] != a[i + j * ld] + alpha * x[i] * got[j];
    for (int i = m; i < ld; i++) wrong += got_a[i + j * ld] != a[i + j * ld];
  }
  return wrong;
}

// A triangular system, solved from either side, multiplied back.
long check_triangles(cublasHandle_t handle) {
  constexpr int m = 6, n = 4;
  long wrong = 0;
  double one = 1;
  for (int side = 0; side < 2; side++)
    for (int fill = 0; fill < 2; fill++)
      for (int turn = 0; turn < 2; turn++) {
        int order = side == CUBLAS_SIDE_LEFT ? m : n;
        std::vector<double> a = ramp(order * order, 3), b = ramp(m * n, 5);
        for (int i = 0; i < order; i++) a[i + i * order] = 4 + i;
        Buffer<double> da(a), db(b), dc(b);
        auto s = cublasSideMode_t(side);
        auto f = cublasFillMode_t(fill);
        auto t = cublasOperation_t(turn);
        CHECK(cublasDtrsm(handle, s, f, t, CUBLAS_DIAG_NON_UNIT, m, n, &one, da.data, order, db.data, m));
        CHECK(cublasDtrmm(handle, s, f, t, CUBLAS_DIAG_NON_UNIT, m, n, &one, da.data, order, db.data, m, dc.data, m));
        std::vector<double> back = dc.get();
        for (int i = 0; i < m * n; i++) wrong += differs(back[i], b[i]);
      }
  return wrong;
}

long check_hermitian(cublasHandle_t handle) {
  constexpr int n = 5, k = 3;
  std::vector<Complex> a(n * k), c(n * n);
  for (int i = 0; i < n * k; i++) a[i] = {double(i % 4 - 1), double(i % 3 - 1)};
  Buffer<Complex> da(a), dc(c);
  double alpha = 1, beta = 0;
  auto* ca = reinterpret_cast<cuDoubleComplex*>(da.data);
  auto* cc = reinterpret_cast<cuDoubleComplex*>(dc.data);
  CHECK(cublasZherk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k, &alpha, ca, n, &beta, cc, n));
  std::vector<Complex> got = dc.get();
  long wrong = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      Complex sum = 0;
      for (int l = 0; l < k; l++) sum += a[i + l * n] * std::conj(a[j + l * n]);
      wrong += got[i + j * n] != (i >= j ? sum : Complex(0));
    }
  return wrong;
}

long check_batches(cublasHandle_t handle) {
  constexpr int n = 4, count = 3;
  std::vector<double> a = ramp(n * n * count, 3);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < n; j++) a[i * n * n + j * (n + 1)] += 20;
  Buffer<double> da(a), lu(a), inverse(std::vector<double>(n * n * count)), product(a);
  std::vector<double*> pa, plu, pinverse, pproduct;
  for (int i = 0; i < count; i++) {
    pa.push_back(da.data + i * n * n), plu.push_back(lu.data + i * n * n);
    pinverse.push_back(inverse.data + i * n * n), pproduct.push_back(product.data + i * n * n);
  }
  Buffer<double*> aa(pa), alu(plu), ainverse(pinverse), aproduct(pproduct);
  Buffer<int> pivots{std::vector<int>(n * count)}, info{std::vector<int>(count)};
  double one = 1, zero = 0;
  CHECK(cublasDgetrfBatched(handle, n, alu.data, n, pivots.data, info.data, count));
  CHECK(cublasDgetriBatched(handle, n, alu.data, n, pivots.data, ainverse.data, n, info.data, count));
  CHECK(cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, aa.data, n, ainverse.data, n, &zero,
                           aproduct.data, n, count));
  std::vector<double> got = product.get();
  long wrong = 0;
  for (int i = 0; i < n * n * count; i++) wrong += std::fabs(got[i] - (i % (n * n) % (n + 1) == 0)) > 1e-12;
  return wrong;
}

long check_copies(cublasHandle_t handle) {
  std::vector<float> a(6 * 4), back(3 * 4);
  for (size_t i = 0; i < a.size(); i++) a[i] = float(i);
  float* device;
  CHECK(cudaMalloc(&device, 5 * 4 * sizeof(float)));
  CHECK(cublasSetMatrix(3, 4, sizeof(float), a.data(), 6, device, 5));
  CHECK(cublasGetMatrix(3, 4, sizeof(float), device, 5, back.data(), 3));
  long wrong = 0;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) wrong += back[i + 3 * j] != a[i + 6 * j];
  CHECK(cudaFree(device));
  int version = 0;
  CHECK(cublasGetVersion(handle, &version));
  return wrong + (version < 110000);
}

int main() {
  cublasHandle_t handle;
  CHECK(cublasCreate_v2(&handle));
  long wrong = check_vectors(handle) + check_scalars_on_device(handle) + check_matrix_vector(handle) +
               check_triangles(handle) + check_hermitian(handle) + check_batches(handle) + check_copies(handle);
  CHECK(cublasDestroy(handle));
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
