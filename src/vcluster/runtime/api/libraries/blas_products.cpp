// cuBLAS: the calls of the general matrix product.
#include "vcluster/runtime/api/libraries/blas_product.h"

using namespace cuco::vcluster;

namespace {

// What all forms of the call have.
struct Form {
  const char* name;
  cublasOperation_t ta, tb;
  int m, n, k;
  const void *alpha, *beta;
  cudaDataType a_type, b_type, c_type;
  cublasComputeType_t compute;
  int lda, ldb, ldc;
  long long a_stride, b_stride, c_stride;
  int batch_count;
  bool has_pointer_arrays;
};

cublasStatus_t multiply(cublasHandle_t named, const Form& form, const void* a, const void* b, void* c) {
  const cublasContext* handle = context_of(named);
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  Product product;
  product.m = form.m, product.n = form.n, product.k = form.k, product.batch_count = form.batch_count;
  product.alpha = form.alpha, product.beta = form.beta;
  product.scalar_type = scalar_type_of(form.compute, form.a_type);
  product.uses_tensor_cores = uses_tensor_cores(form.a_type, form.compute, handle->math_mode);
  bool turns_a = form.ta != CUBLAS_OP_N, turns_b = form.tb != CUBLAS_OP_N;
  auto matrix = [&](const void* data, cudaDataType type, int rows, int columns, int ld, long long stride) {
    ProductMatrix made;
    made.data = data, made.type = type, made.rows = rows, made.columns = columns, made.ld = ld, made.stride = stride;
    made.is_pointer_array = form.has_pointer_arrays;
    return made;
  };
  product.a = matrix(a, form.a_type, turns_a ? form.k : form.m, turns_a ? form.m : form.k, form.lda, form.a_stride);
  product.b = matrix(b, form.b_type, turns_b ? form.n : form.k, turns_b ? form.k : form.n, form.ldb, form.b_stride);
  product.c = product.d = matrix(c, form.c_type, form.m, form.n, form.ldc, form.c_stride);
  product.a.operation = form.ta, product.b.operation = form.tb;
  return queue_product(*handle, std::move(product), form.name);
}

}  // namespace

#define CUCO_GEMM(P, T, TYPE, COMPUTE)                                                                                \
  cublasStatus_t cublas##P##gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,    \
                                 int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb,              \
                                 const T* beta, T* C, int ldc) {                                                      \
    Form form = {"cublas" #P "gemm",                                                                                  \
                 transa,                                                                                              \
                 transb,                                                                                              \
                 m,                                                                                                   \
                 n,                                                                                                   \
                 k,                                                                                                   \
                 alpha,                                                                                               \
                 beta,                                                                                                \
                 TYPE,                                                                                                \
                 TYPE,                                                                                                \
                 TYPE,                                                                                                \
                 COMPUTE,                                                                                             \
                 lda,                                                                                                 \
                 ldb,                                                                                                 \
                 ldc,                                                                                                 \
                 0,                                                                                                   \
                 0,                                                                                                   \
                 0,                                                                                                   \
                 1,                                                                                                   \
                 false};                                                                                              \
    return multiply(handle, form, A, B, C);                                                                           \
  }                                                                                                                   \
  cublasStatus_t cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,    \
                                        int m, int n, int k, const T* alpha, const T* const Aarray[], int lda,        \
                                        const T* const Barray[], int ldb, const T* beta, T* const Carray[], int ldc,  \
                                        int batchCount) {                                                             \
    Form form = {"cublas" #P "gemmBatched",                                                                           \
                 transa,                                                                                              \
                 transb,                                                                                              \
                 m,                                                                                                   \
                 n,                                                                                                   \
                 k,                                                                                                   \
                 alpha,                                                                                               \
                 beta,                                                                                                \
                 TYPE,                                                                                                \
                 TYPE,                                                                                                \
                 TYPE,                                                                                                \
                 COMPUTE,                                                                                             \
                 lda,                                                                                                 \
                 ldb,                                                                                                 \
                 ldc,                                                                                                 \
                 0,                                                                                                   \
                 0,                                                                                                   \
                 0,                                                                                                   \
                 batchCount,                                                                                          \
                 true};                                                                                               \
    return multiply(handle, form, Aarray, Barray, const_cast<T**>(Carray));                                           \
  }                                                                                                                   \
  cublasStatus_t cublas##P##gemmStridedBatched(                                                                       \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T* alpha, \
      const T* A, int lda, long long strideA, const T* B, int ldb, long long strideB, const T* beta, T* C, int ldc,   \
      long long strideC, int batchCount) {                                                                            \
    Form form = {"cublas" #P "gemmStridedBatched",                                                                    \
                 transa,                                                                                              \
                 transb,                                                                                              \
                 m,                                                                                                   \
                 n,                                                                                                   \
                 k,                                                                                                   \
                 alpha,                                                                                               \
                 beta,                                                                                                \
                 TYPE,                                                                                                \
                 TYPE,                                                                                                \
                 TYPE,                                                                                                \
                 COMPUTE,                                                                                             \
                 lda,                                                                                                 \
                 ldb,                                                                                                 \
                 ldc,                                                                                                 \
                 strideA,                                                                                             \
                 strideB,                                                                                             \
                 strideC,                                                                                             \
                 batchCount,                                                                                          \
                 false};                                                                                              \
    return multiply(handle, form, A, B, C);                                                                           \
  }

extern "C" {

CUCO_GEMM(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
CUCO_GEMM(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
CUCO_GEMM(C, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
CUCO_GEMM(Z, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)
CUCO_GEMM(H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
cublasStatus_t cublasCgemm3m(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                             const cuComplex* alpha, const cuComplex* a, int lda, const cuComplex* b, int ldb,
                             const cuComplex* beta, cuComplex* c, int ldc) {
  return cublasCgemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
cublasStatus_t cublasZgemm3m(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                             const cuDoubleComplex* alpha, const cuDoubleComplex* a, int lda, const cuDoubleComplex* b,
                             int ldb, const cuDoubleComplex* beta, cuDoubleComplex* c, int ldc) {
  return cublasZgemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                                          int n, int k, const void* alpha, const void* A, cudaDataType a_type, int lda,
                                          long long a_stride, const void* B, cudaDataType b_type, int ldb,
                                          long long b_stride, const void* beta, void* C, cudaDataType c_type, int ldc,
                                          long long c_stride, int batch_count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
  Form form = {"cublasGemmStridedBatchedEx",
               ta,
               tb,
               m,
               n,
               k,
               alpha,
               beta,
               a_type,
               b_type,
               c_type,
               compute,
               lda,
               ldb,
               ldc,
               a_stride,
               b_stride,
               c_stride,
               batch_count,
               false};
  return multiply(handle, form, A, B, C);
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const void* alpha, const void* A, cudaDataType a_type, int lda, const void* B,
                            cudaDataType b_type, int ldb, const void* beta, void* C, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  Form form = {"cublasGemmEx", ta,      tb,  m,   n,   k, alpha, beta, a_type, b_type,
               c_type,         compute, lda, ldb, ldc, 0, 0,     0,    1,      false};
  return multiply(handle, form, A, B, C);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                   int k, const void* alpha, const void* const A[], cudaDataType a_type, int lda,
                                   const void* const B[], cudaDataType b_type, int ldb, const void* beta,
                                   void* const C[], cudaDataType c_type, int ldc, int batch_count,
                                   cublasComputeType_t compute, cublasGemmAlgo_t) {
  Form form = {
      "cublasGemmBatchedEx", ta,  tb, m, n, k, alpha, beta, a_type, b_type, c_type, compute, lda, ldb, ldc, 0, 0, 0,
      batch_count,           true};
  return multiply(handle, form, A, B, const_cast<void**>(C));
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                             const float* alpha, const void* A, cudaDataType a_type, int lda, const void* B,
                             cudaDataType b_type, int ldb, const float* beta, void* C, cudaDataType c_type, int ldc) {
  Form form = {"cublasSgemmEx",    ta,  tb,  m,   n, k, alpha, beta, a_type, b_type, c_type,
               CUBLAS_COMPUTE_32F, lda, ldb, ldc, 0, 0, 0,     1,    false};
  return multiply(handle, form, A, B, C);
}
}
