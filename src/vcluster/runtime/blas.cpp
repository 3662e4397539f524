// cuBLAS: matrix products as operations on the handle's stream. They are computed by a plain loop when they run; their
// time is that of the same work spread evenly over the device, at the profile's rates.
#include <cublas_v2.h>
#include <cuco/small_float.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/handles.h"
#include "vcluster/runtime/objects.h"

using namespace cuco::vcluster;

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
};

namespace {

// Column-major, element (row, column) at row + column * ld.
struct Matrix {
  const void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  long long ld = 0;
  long long stride = 0;  // Between the matrices of a batch.
  long long rows = 0, columns = 0;
};

struct Product {
  int m = 0, n = 0, k = 0, batch_count = 1;
  bool transposes_a = false, transposes_b = false;
  bool uses_tensor_cores = false;
  cudaDataType scalar_type = CUDA_R_32F;
  Matrix a, b, c;
  const void *alpha = nullptr, *beta = nullptr;
  std::vector<char> scalars;  // Copies of alpha and beta, read when the call is made; empty: read when it runs.
};

size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    default:
      return 1;
  }
}

double value_at(const void* data, long long index, cudaDataType type) {
  const char* at = static_cast<const char*>(data) + index * static_cast<long long>(bytes_of(type));
  auto as = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type) {
    case CUDA_R_64F:
      return as(double());
    case CUDA_R_32F:
      return as(float());
    case CUDA_R_32I:
      return as(int());
    case CUDA_R_8I:
      return as(int8_t());
    case CUDA_R_16F:
      return cuco_float::from_half(as(uint16_t()));
    case CUDA_R_16BF:
      return cuco_float::from_bf16(as(uint16_t()));
    case CUDA_R_8F_E4M3:
      return cuco_float::from_fp8(as(uint8_t()), cuco_float::e4m3);
    case CUDA_R_8F_E5M2:
      return cuco_float::from_fp8(as(uint8_t()), cuco_float::e5m2);
  }
  return 0;
}

void put_value(void* data, long long index, cudaDataType type, double value) {
  char* at = static_cast<char*>(data) + index * static_cast<long long>(bytes_of(type));
  auto store = [at](auto rounded) { std::memcpy(at, &rounded, sizeof rounded); };
  switch (type) {
    case CUDA_R_64F:
      return store(value);
    case CUDA_R_32F:
      return store(static_cast<float>(value));
    case CUDA_R_32I:
      return store(static_cast<int>(value));
    case CUDA_R_8I:
      return store(static_cast<int8_t>(std::clamp(value, -128.0, 127.0)));
    case CUDA_R_16F:
      return store(cuco_float::half_of(value));
    case CUDA_R_16BF:
      return store(cuco_float::bf16_of(cuco_float::to_odd_float(value)));
    case CUDA_R_8F_E4M3:
      return store(cuco_float::fp8_of(static_cast<float>(value), cuco_float::e4m3));
    case CUDA_R_8F_E5M2:
      return store(cuco_float::fp8_of(static_cast<float>(value), cuco_float::e5m2));
  }
}

template <typename Visit>
void for_each_column(const Matrix& matrix, int batch, const Visit& visit) {
  for (long long column = 0; column < matrix.columns; column++) {
    long long first = batch * matrix.stride + column * matrix.ld;
    const char* begin = static_cast<const char*>(matrix.data) + first * static_cast<long long>(bytes_of(matrix.type));
    visit(begin, static_cast<size_t>(matrix.rows) * bytes_of(matrix.type));
  }
}

// What the call touches, for the checkers.
void note_accesses(const Product& product, int batch, uint32_t race_id, const std::string& what) {
  for (const Matrix* read : {&product.a, &product.b})
    for_each_column(*read, batch, [&](const void* begin, size_t bytes) {
      check_library_range(begin, bytes, what);
      races().access_by(race_id, begin, bytes, AccessKind::Read);
    });
  for_each_column(product.c, batch, [&](const void* begin, size_t bytes) {
    check_library_range(begin, bytes, what);
    races().access_by(race_id, begin, bytes, AccessKind::Write);
    note_write(begin, bytes, what);
  });
}

// The operand as rows x columns values, column after column, transposed if asked.
template <typename Number>
std::vector<Number> operand(const Matrix& matrix, int batch, bool transposes) {
  std::vector<Number> values(static_cast<size_t>(matrix.rows * matrix.columns));
  for (long long column = 0; column < matrix.columns; column++)
    for (long long row = 0; row < matrix.rows; row++) {
      long long to = transposes ? column + row * matrix.columns : row + column * matrix.rows;
      values[static_cast<size_t>(to)] =
          static_cast<Number>(value_at(matrix.data, batch * matrix.stride + row + column * matrix.ld, matrix.type));
    }
  return values;
}

// Sums over k in order, in the precision of the computation.
template <typename Number>
void multiply(const Product& product, int batch, Number alpha, Number beta) {
  std::vector<Number> a = operand<Number>(product.a, batch, product.transposes_a);
  std::vector<Number> b = operand<Number>(product.b, batch, product.transposes_b);
  auto m = static_cast<size_t>(product.m), k = static_cast<size_t>(product.k);
  std::vector<Number> sums(m);
  for (int column = 0; column < product.n; column++) {
    std::fill(sums.begin(), sums.end(), Number(0));
    for (size_t i = 0; i < k; i++) {
      Number factor = b[i + static_cast<size_t>(column) * k];
      for (size_t row = 0; row < m; row++) sums[row] += a[row + i * m] * factor;
    }
    for (size_t row = 0; row < m; row++) {
      long long at = batch * product.c.stride + static_cast<long long>(row) + column * product.c.ld;
      Number old = beta == Number(0) ? Number(0) : static_cast<Number>(value_at(product.c.data, at, product.c.type));
      put_value(const_cast<void*>(product.c.data), at, product.c.type,
                static_cast<double>(alpha * sums[row] + (beta == Number(0) ? Number(0) : beta * old)));
    }
  }
}

void run(const Product& product, uint32_t race_id, const std::string& what) {
  size_t bytes = bytes_of(product.scalar_type);
  const void* alpha = product.scalars.empty() ? product.alpha : product.scalars.data();
  const void* beta = product.scalars.empty() ? product.beta : product.scalars.data() + bytes;
  double factor = value_at(alpha, 0, product.scalar_type), keep = value_at(beta, 0, product.scalar_type);
  for (int batch = 0; batch < product.batch_count; batch++) {
    note_accesses(product, batch, race_id, what);
    if (product.scalar_type == CUDA_R_64F)
      multiply<double>(product, batch, factor, keep);
    else if (product.scalar_type == CUDA_R_32I)
      multiply<int>(product, batch, static_cast<int>(factor), static_cast<int>(keep));
    else
      multiply<float>(product, batch, static_cast<float>(factor), static_cast<float>(keep));
  }
}

Work work_of(const Product& product) {
  uint64_t operations = 2ull * static_cast<uint64_t>(product.m) * static_cast<uint64_t>(product.n) *
                        static_cast<uint64_t>(product.k) * static_cast<uint64_t>(product.batch_count);
  Work work;
  work.counters[product.uses_tensor_cores ? TensorOperations : FpOperations] = operations;
  uint64_t bytes = 0;
  for (const Matrix* matrix : {&product.a, &product.b, &product.c})
    bytes += static_cast<uint64_t>(matrix->rows * matrix->columns) * bytes_of(matrix->type);
  work.counters[GlobalBytes] = bytes * static_cast<uint64_t>(product.batch_count);
  return work;
}

Time time_on(const Device& device, const Work& work) {
  double alone = static_cast<double>(time_of(work.counters, device.gpu));
  return static_cast<Time>(alone / device.gpu.sm_count * device.slowness);
}

OperationPtr submit(Stream& on, const Product& product, const std::string& what) {
  return on.submit(what, world->costs.launch, [&on, product, what](Operation& self) {
    self.work = work_of(product);
    self.alone = time_on(on.device(), self.work);
    Time end = world->now() + self.alone;
    world->timeline.add_span(self.rank, Category::Compute, world->now(), end);
    world->events.at(end, [&self, product, what] {
      run(product, self.race_id, what);
      self.finish();
    });
  });
}

void set_shapes(Product& product) {
  auto shape = [](Matrix& matrix, int rows, int columns) { matrix.rows = rows, matrix.columns = columns; };
  shape(product.a, product.transposes_a ? product.k : product.m, product.transposes_a ? product.m : product.k);
  shape(product.b, product.transposes_b ? product.n : product.k, product.transposes_b ? product.k : product.n);
  shape(product.c, product.m, product.n);
}

bool is_valid(const Product& product) {
  if (product.m < 0 || product.n < 0 || product.k < 0 || product.batch_count < 0) return false;
  if (!product.alpha || !product.beta) return false;
  for (const Matrix* matrix : {&product.a, &product.b, &product.c})
    if (matrix->ld < std::max<long long>(1, matrix->rows)) return false;
  return true;
}

cublasContext* context_of(cublasHandle_t handle) { return Handles<cublasContext>::find(handle); }

cublasStatus_t enqueue(cublasHandle_t named, Product product, const char* name) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  set_shapes(product);
  if (!is_valid(product)) return CUBLAS_STATUS_INVALID_VALUE;
  Stream* stream = stream_of(handle->stream);
  if (!stream) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (handle->pointer_mode == CUBLAS_POINTER_MODE_HOST) {
    size_t bytes = bytes_of(product.scalar_type);
    product.scalars.resize(2 * bytes);
    std::memcpy(product.scalars.data(), product.alpha, bytes);
    std::memcpy(product.scalars.data() + bytes, product.beta, bytes);
  }
  std::string what = cuco::concat(name, host_place());
  world->pass_time(world->costs.host_call);
  stream->issue([product, what](Stream& on) { return submit(on, product, what); });
  return CUBLAS_STATUS_SUCCESS;
}

Product product_of(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha,
                   const void* beta) {
  Product product;
  product.m = m, product.n = n, product.k = k;
  product.transposes_a = ta != CUBLAS_OP_N, product.transposes_b = tb != CUBLAS_OP_N;
  product.alpha = alpha, product.beta = beta;
  return product;
}

cudaDataType scalar_type_of(cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_64F) return CUDA_R_64F;
  if (compute == CUBLAS_COMPUTE_32I) return CUDA_R_32I;
  return compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F : CUDA_R_32F;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = Handles<cublasContext>::open(new cublasContext);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete Handles<cublasContext>::close(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  cublasContext* context = context_of(handle);
  if (!context) return CUBLAS_STATUS_NOT_INITIALIZED;
  context->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  const cublasContext* context = context_of(handle);
  if (!context) return CUBLAS_STATUS_NOT_INITIALIZED;
  *stream = context->stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  cublasContext* context = context_of(handle);
  if (!context) return CUBLAS_STATUS_NOT_INITIALIZED;
  context->pointer_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "the call failed";
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                          int n, int k, const void* alpha, const void* A, cudaDataType a_type, int lda,
                                          long long a_stride, const void* B, cudaDataType b_type, int ldb,
                                          long long b_stride, const void* beta, void* C, cudaDataType c_type, int ldc,
                                          long long c_stride, int batch_count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
  Product product = product_of(ta, tb, m, n, k, alpha, beta);
  product.batch_count = batch_count;
  product.scalar_type = scalar_type_of(compute);
  product.uses_tensor_cores = bytes_of(a_type) < 4 || compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  product.a = {A, a_type, lda, a_stride}, product.b = {B, b_type, ldb, b_stride};
  product.c = {C, c_type, ldc, c_stride};
  return enqueue(handle, std::move(product), "a cuBLAS product");
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const void* alpha, const void* A, cudaDataType a_type, int lda, const void* B,
                            cudaDataType b_type, int ldb, const void* beta, void* C, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, A, a_type, lda, 0, B, b_type, ldb, 0, beta, C,
                                    c_type, ldc, 0, 1, compute, algorithm);
}
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                         int n, int k, const float* alpha, const float* A, int lda, long long a_stride,
                                         const float* B, int ldb, long long b_stride, const float* beta, float* C,
                                         int ldc, long long c_stride, int batch_count) {
  return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, A, CUDA_R_32F, lda, a_stride, B, CUDA_R_32F, ldb,
                                    b_stride, beta, C, CUDA_R_32F, ldc, c_stride, batch_count, CUBLAS_COMPUTE_32F,
                                    CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const float* alpha, const float* A, int lda, const float* B, int ldb, const float* beta,
                           float* C, int ldc) {
  return cublasSgemmStridedBatched(handle, ta, tb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0, 1);
}
cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const double* alpha, const double* A, int lda, const double* B, int ldb, const double* beta,
                           double* C, int ldc) {
  return cublasGemmEx(handle, ta, tb, m, n, k, alpha, A, CUDA_R_64F, lda, B, CUDA_R_64F, ldb, beta, C, CUDA_R_64F, ldc,
                      CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const __half* alpha, const __half* A, int lda, const __half* B, int ldb, const __half* beta,
                           __half* C, int ldc) {
  return cublasGemmEx(handle, ta, tb, m, n, k, alpha, A, CUDA_R_16F, lda, B, CUDA_R_16F, ldb, beta, C, CUDA_R_16F, ldc,
                      CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
}
