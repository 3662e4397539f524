// cuBLAS, level 1: vectors.
#include <cmath>

#include "vcluster/runtime/api/libraries/blas.h"

using namespace cuco::vcluster;

namespace {

template <typename T>
LibraryWork vector_work(double count, double vectors) {
  return library_work::passes_over(count * vectors * sizeof(T), 2 * count * kOperationsEach<T>, kUnit<T>);
}

// A call that gives one number: to the host, which waits for it, or to the device.
template <typename Result>
cublasStatus_t reduce(const cublasContext& handle, const char* name, LibraryWork work, std::vector<Operand> operands,
                      Result* out, std::function<Result()> compute) {
  bool to_host = handle.pointer_mode == CUBLAS_POINTER_MODE_HOST;
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  if (to_host)
    check_host_argument(out, sizeof(Result), name);
  else
    operands.push_back({out, sizeof(Result), 1, 1, 1, Use::Write});
  auto run = [out, compute = std::move(compute)] { *out = compute(); };
  return queue(handle, {name, work, std::move(operands), {}, run}, to_host ? Await::TheEnd : Await::Nothing);
}

template <typename T>
cublasStatus_t extreme(cublasHandle_t named, const char* name, int n, const T* x, int incx, int* out, bool is_largest) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  bool is_empty = n <= 0 || incx <= 0;
  auto compute = [=] {
    if (is_empty) return 0;
    Strided<const T> values(x, n, incx);
    int best = 0;
    for (int i = 1; i < n; i++) {
      Real<T> size = size_of_number(values[i]), held = size_of_number(values[best]);
      if (is_largest ? size > held : size < held) best = i;
    }
    return best + 1;
  };
  return reduce<int>(*handle, name, vector_work<T>(n, 1), {vector_of(x, is_empty ? 0 : n, incx, Use::Read)}, out,
                     compute);
}

template <typename T>
cublasStatus_t sum_of_sizes(cublasHandle_t named, const char* name, int n, const T* x, int incx, Real<T>* out) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = incx > 0 ? std::max(n, 0) : 0;
  auto compute = [=] {
    Strided<const T> values(x, count, incx);
    Real<T> sum = 0;
    for (int i = 0; i < count; i++) sum += size_of_number(values[i]);
    return sum;
  };
  return reduce<Real<T>>(*handle, name, vector_work<T>(n, 1), {vector_of(x, count, incx, Use::Read)}, out, compute);
}

// The squares are added up in double, which neither overflows nor loses small ones for floats; doubles are scaled.
template <typename T>
Real<T> norm_of(Strided<const T> values, long long count) {
  double largest = 0, sum = 0;
  for (long long i = 0; i < count; i++) largest = std::max(largest, static_cast<double>(std::abs(values[i])));
  if (largest == 0 || !std::isfinite(largest)) return static_cast<Real<T>>(largest);
  for (long long i = 0; i < count; i++) {
    double share = static_cast<double>(std::abs(values[i])) / largest;
    sum += share * share;
  }
  return static_cast<Real<T>>(largest * std::sqrt(sum));
}

template <typename T>
cublasStatus_t norm(cublasHandle_t named, const char* name, int n, const T* x, int incx, Real<T>* out) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = incx > 0 ? std::max(n, 0) : 0;
  auto compute = [=] { return norm_of<T>(Strided<const T>(x, count, incx), count); };
  return reduce<Real<T>>(*handle, name, vector_work<T>(n, 1), {vector_of(x, count, incx, Use::Read)}, out, compute);
}

template <typename T>
cublasStatus_t dot(cublasHandle_t named, const char* name, int n, const T* x, int incx, const T* y, int incy, T* out,
                   bool conjugates) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = std::max(n, 0);
  auto compute = [=] {
    Strided<const T> a(x, count, incx), b(y, count, incy);
    T sum(0);
    for (int i = 0; i < count; i++) sum += (conjugates ? conjugate(a[i]) : a[i]) * b[i];
    return sum;
  };
  std::vector<Operand> operands = {vector_of(x, count, incx, Use::Read), vector_of(y, count, incy, Use::Read)};
  return reduce<T>(*handle, name, vector_work<T>(n, 2), std::move(operands), out, compute);
}

template <typename T>
cublasStatus_t add_scaled(cublasHandle_t named, const char* name, int n, const T* alpha, const T* x, int incx, T* y,
                          int incy) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = std::max(n, 0);
  Scalar<T> factor(*handle, alpha, name);
  std::vector<Operand> operands = {vector_of(x, count, incx, Use::Read), vector_of(y, count, incy, Use::Update)};
  factor.add_operand(operands);
  return queue(*handle, {name, vector_work<T>(n, 3), std::move(operands), {}, [=] {
                           Strided<const T> from(x, count, incx);
                           Strided<T> to(y, count, incy);
                           T a = factor.get();
                           for (int i = 0; i < count; i++) to[i] += a * from[i];
                         }});
}

template <typename T>
cublasStatus_t copy(cublasHandle_t named, const char* name, int n, const T* x, int incx, T* y, int incy) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = std::max(n, 0);
  return queue(*handle, {name,
                         vector_work<T>(n, 2),
                         {vector_of(x, count, incx, Use::Read), vector_of(y, count, incy, Use::Write)},
                         {},
                         [=] {
                           Strided<const T> from(x, count, incx);
                           Strided<T> to(y, count, incy);
                           for (int i = 0; i < count; i++) to[i] = from[i];
                         }});
}

template <typename T>
cublasStatus_t exchange(cublasHandle_t named, const char* name, int n, T* x, int incx, T* y, int incy) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = std::max(n, 0);
  return queue(*handle, {name,
                         vector_work<T>(n, 4),
                         {vector_of(x, count, incx, Use::Update), vector_of(y, count, incy, Use::Update)},
                         {},
                         [=] {
                           Strided<T> a(x, count, incx), b(y, count, incy);
                           for (int i = 0; i < count; i++) std::swap(a[i], b[i]);
                         }});
}

template <typename T, typename Factor>
cublasStatus_t scale(cublasHandle_t named, const char* name, int n, const Factor* alpha, T* x, int incx) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = incx > 0 ? std::max(n, 0) : 0;
  Scalar<Factor> factor(*handle, alpha, name);
  std::vector<Operand> operands = {vector_of(x, count, incx, Use::Update)};
  factor.add_operand(operands);
  return queue(*handle, {name, vector_work<T>(n, 2), std::move(operands), {}, [=] {
                           Strided<T> values(x, count, incx);
                           Factor a = factor.get();
                           for (int i = 0; i < count; i++) values[i] *= a;
                         }});
}

template <typename T>
cublasStatus_t rotate(cublasHandle_t named, const char* name, int n, T* x, int incx, T* y, int incy, const T* c,
                      const T* s) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = std::max(n, 0);
  Scalar<T> cosine(*handle, c, name), sine(*handle, s, name);
  std::vector<Operand> operands = {vector_of(x, count, incx, Use::Update), vector_of(y, count, incy, Use::Update)};
  cosine.add_operand(operands), sine.add_operand(operands);
  return queue(*handle, {name, vector_work<T>(n, 4), std::move(operands), {}, [=] {
                           Strided<T> a(x, count, incx), b(y, count, incy);
                           T cos = cosine.get(), sin = sine.get();
                           for (int i = 0; i < count; i++) {
                             T first = cos * a[i] + sin * b[i];
                             b[i] = cos * b[i] - sin * a[i];
                             a[i] = first;
                           }
                         }});
}

// As LAPACK's reference: r takes the sign of the larger of the two, z tells how to find c and s again.
template <typename T>
void make_rotation(T* a, T* b, T* c, T* s) {
  T sign = std::abs(*a) > std::abs(*b) ? *a : *b, size = std::abs(*a) + std::abs(*b);
  if (size == 0) {
    *c = 1, *s = 0, *a = 0, *b = 0;
    return;
  }
  T x = *a / size, y = *b / size, r = std::copysign(size * std::sqrt(x * x + y * y), sign);
  *c = *a / r, *s = *b / r;
  T z = std::abs(*a) > std::abs(*b) ? *s : *c != 0 ? 1 / *c : T(1);
  *a = r, *b = z;
}
template <typename T>
cublasStatus_t rotation(cublasHandle_t named, const char* name, T* a, T* b, T* c, T* s) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  bool on_host = handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
  std::vector<Operand> operands;
  for (T* place : {a, b}) operands.push_back({place, sizeof(T), 1, 1, 1, Use::Update});
  for (T* place : {c, s}) operands.push_back({place, sizeof(T), 1, 1, 1, Use::Write});
  return queue(*handle, {name, vector_work<T>(1, 4), std::move(operands), {}, [=] { make_rotation(a, b, c, s); }},
               on_host ? Await::TheEnd : Await::Nothing);
}

// Elements of any type, computed in double and rounded once.
struct TypedVector {
  const void* data;
  cudaDataType type;
  long long count, increment;

  char* place(long long index) const {
    long long begin = increment < 0 ? -(count - 1) * increment : 0;
    return static_cast<char*>(const_cast<void*>(data)) +
           (begin + index * increment) * static_cast<long long>(bytes_of(type));
  }
  double get(long long index) const { return load_number<double>(place(index), type); }
  void put(long long index, double value) const { store_real(place(index), type, value); }
  Operand operand(Use use) const { return vector_operand(data, bytes_of(type), count, increment, use); }
};

bool is_known_real(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
}

// Read now when it is the host's, when the call runs when it is the device's.
std::function<double()> read_scalar(const cublasContext& handle, const void* place, cudaDataType type,
                                    const char* name) {
  auto read = [=] { return load_number<double>(static_cast<const char*>(place), type); };
  if (handle.pointer_mode == CUBLAS_POINTER_MODE_DEVICE) return read;
  check_host_argument(place, bytes_of(type), name);
  return [value = read()] { return value; };
}

cublasStatus_t typed_result(const cublasContext& handle, const char* name, std::vector<Operand> operands, void* out,
                            cudaDataType type, double count, std::function<double()> compute) {
  bool to_host = handle.pointer_mode == CUBLAS_POINTER_MODE_HOST;
  if (to_host)
    check_host_argument(out, bytes_of(type), name);
  else
    operands.push_back({out, bytes_of(type), 1, 1, 1, Use::Write});
  auto run = [out, type, compute = std::move(compute)] { store_real(static_cast<char*>(out), type, compute()); };
  return queue(handle, {name, vector_work<float>(count, 2), std::move(operands), {}, run},
               to_host ? Await::TheEnd : Await::Nothing);
}

}  // namespace

#define CUCO_VECTOR_CALLS(P, p, SUM, T, R)                                                                             \
  cublasStatus_t cublasI##p##amax(cublasHandle_t handle, int n, const T* x, int incx, int* result) {                   \
    return extreme(handle, "cublasI" #p "amax", n, numbers(x), incx, result, true);                                    \
  }                                                                                                                    \
  cublasStatus_t cublasI##p##amin(cublasHandle_t handle, int n, const T* x, int incx, int* result) {                   \
    return extreme(handle, "cublasI" #p "amin", n, numbers(x), incx, result, false);                                   \
  }                                                                                                                    \
  cublasStatus_t cublas##SUM##asum(cublasHandle_t handle, int n, const T* x, int incx, R* result) {                    \
    return sum_of_sizes(handle, "cublas" #SUM "asum", n, numbers(x), incx, result);                                    \
  }                                                                                                                    \
  cublasStatus_t cublas##SUM##nrm2(cublasHandle_t handle, int n, const T* x, int incx, R* result) {                    \
    return norm(handle, "cublas" #SUM "nrm2", n, numbers(x), incx, result);                                            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) { \
    return add_scaled(handle, "cublas" #P "axpy", n, numbers(alpha), numbers(x), incx, numbers(y), incy);              \
  }                                                                                                                    \
  cublasStatus_t cublas##P##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {                 \
    return copy(handle, "cublas" #P "copy", n, numbers(x), incx, numbers(y), incy);                                    \
  }                                                                                                                    \
  cublasStatus_t cublas##P##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {                       \
    return exchange(handle, "cublas" #P "swap", n, numbers(x), incx, numbers(y), incy);                                \
  }                                                                                                                    \
  cublasStatus_t cublas##P##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {                       \
    return scale(handle, "cublas" #P "scal", n, numbers(alpha), numbers(x), incx);                                     \
  }
#define CUCO_DOT(NAME, T, CONJUGATES)                                                                                \
  cublasStatus_t cublas##NAME(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) { \
    return dot(handle, "cublas" #NAME, n, numbers(x), incx, numbers(y), incy, numbers(result), CONJUGATES);          \
  }
#define CUCO_ROTATIONS(P, T)                                                                              \
  cublasStatus_t cublas##P##rot(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* c, \
                                const T* s) {                                                             \
    return rotate(handle, "cublas" #P "rot", n, x, incx, y, incy, c, s);                                  \
  }                                                                                                       \
  cublasStatus_t cublas##P##rotg(cublasHandle_t handle, T* a, T* b, T* c, T* s) {                         \
    return rotation(handle, "cublas" #P "rotg", a, b, c, s);                                              \
  }

extern "C" {

CUCO_VECTOR_CALLS(S, s, S, float, float)
CUCO_VECTOR_CALLS(D, d, D, double, double)
CUCO_VECTOR_CALLS(C, c, Sc, cuComplex, float)
CUCO_VECTOR_CALLS(Z, z, Dz, cuDoubleComplex, double)
CUCO_DOT(Sdot, float, false)
CUCO_DOT(Ddot, double, false)
CUCO_DOT(Cdotu, cuComplex, false)
CUCO_DOT(Cdotc, cuComplex, true)
CUCO_DOT(Zdotu, cuDoubleComplex, false)
CUCO_DOT(Zdotc, cuDoubleComplex, true)
CUCO_ROTATIONS(S, float)
CUCO_ROTATIONS(D, double)
cublasStatus_t cublasCsscal(cublasHandle_t handle, int n, const float* alpha, cuComplex* x, int incx) {
  return scale(handle, "cublasCsscal", n, alpha, numbers(x), incx);
}
cublasStatus_t cublasZdscal(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x, int incx) {
  return scale(handle, "cublasZdscal", n, alpha, numbers(x), incx);
}

cublasStatus_t cublasAxpyEx(cublasHandle_t named, int n, const void* alpha, cudaDataType alpha_type, const void* x,
                            cudaDataType x_type, int incx, void* y, cudaDataType y_type, int incy, cudaDataType) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_known_real(x_type) || !is_known_real(y_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  TypedVector from{x, x_type, n, incx}, to{y, y_type, n, incy};
  std::function<double()> factor = read_scalar(*handle, alpha, alpha_type, "cublasAxpyEx");
  return queue(*handle,
               {"cublasAxpyEx", vector_work<float>(n, 3), {from.operand(Use::Read), to.operand(Use::Update)}, {}, [=] {
                  double scale = factor();
                  for (int i = 0; i < n; i++) to.put(i, to.get(i) + scale * from.get(i));
                }});
}
cublasStatus_t cublasScalEx(cublasHandle_t named, int n, const void* alpha, cudaDataType alpha_type, void* x,
                            cudaDataType x_type, int incx, cudaDataType) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_known_real(x_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  TypedVector values{x, x_type, n, incx};
  std::function<double()> factor = read_scalar(*handle, alpha, alpha_type, "cublasScalEx");
  return queue(*handle, {"cublasScalEx", vector_work<float>(n, 2), {values.operand(Use::Update)}, {}, [=] {
                           double scale = factor();
                           for (int i = 0; i < n; i++) values.put(i, values.get(i) * scale);
                         }});
}
cublasStatus_t cublasDotEx(cublasHandle_t named, int n, const void* x, cudaDataType x_type, int incx, const void* y,
                           cudaDataType y_type, int incy, void* result, cudaDataType result_type, cudaDataType) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_known_real(x_type) || !is_known_real(y_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  TypedVector a{x, x_type, n, incx}, b{y, y_type, n, incy};
  return typed_result(*handle, "cublasDotEx", {a.operand(Use::Read), b.operand(Use::Read)}, result, result_type, n,
                      [=] {
                        double sum = 0;
                        for (int i = 0; i < n; i++) sum += a.get(i) * b.get(i);
                        return sum;
                      });
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t named, int n, const void* x, cudaDataType x_type, int incx, void* result,
                            cudaDataType result_type, cudaDataType) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_known_real(x_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  TypedVector values{x, x_type, n, incx};
  return typed_result(*handle, "cublasNrm2Ex", {values.operand(Use::Read)}, result, result_type, n, [=] {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += values.get(i) * values.get(i);
    return std::sqrt(sum);
  });
}
}
