// cuBLAS: handles, their settings, and copies of vectors and matrices.
#include "vcluster/runtime/api/cuda/objects.h"
#include "vcluster/runtime/api/libraries/blas.h"

using namespace cuco::vcluster;

namespace {

template <typename T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::*field, T value) {
  cublasContext* context = context_of(handle);
  if (!context) return CUBLAS_STATUS_NOT_INITIALIZED;
  context->*field = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::*field, T* value) {
  const cublasContext* context = context_of(handle);
  if (!context) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!value) return CUBLAS_STATUS_INVALID_VALUE;
  *value = context->*field;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t copy_rows(const void* from, long long from_pitch, void* to, long long to_pitch, long long width,
                         long long height, cudaStream_t stream, bool waits) {
  if (width < 0 || height < 0 || from_pitch < width || to_pitch < width) return CUBLAS_STATUS_INVALID_VALUE;
  auto bytes = [](long long value) { return static_cast<size_t>(value); };
  cudaError_t result =
      waits ? cudaMemcpy2D(to, bytes(to_pitch), from, bytes(from_pitch), bytes(width), bytes(height), cudaMemcpyDefault)
            : cudaMemcpy2DAsync(to, bytes(to_pitch), from, bytes(from_pitch), bytes(width), bytes(height),
                                cudaMemcpyDefault, stream);
  return result == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t copy_vector(int n, int element, const void* x, int incx, void* y, int incy, cudaStream_t stream,
                           bool waits) {
  long long size = element;
  if (incx == 1 && incy == 1) return copy_rows(x, n * size, y, n * size, n * size, n > 0, stream, waits);
  return copy_rows(x, incx * size, y, incy * size, size, n, stream, waits);
}
cublasStatus_t copy_matrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb,
                           cudaStream_t stream, bool waits) {
  long long size = element;
  return copy_rows(a, lda * size, b, ldb * size, rows * size, columns, stream, waits);
}

struct StatusText {
  cublasStatus_t status;
  const char *name, *text;
};
constexpr StatusText kStatusTexts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "the device lacks a feature that the function needs"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "the requested functionality needs a license"},
};
const StatusText& text_of(cublasStatus_t status) {
  for (const StatusText& row : kStatusTexts)
    if (row.status == status) return row;
  static constexpr StatusText unknown = {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_UNKNOWN", "unknown status"};
  return unknown;
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
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  if (!context_of(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion() { return 13000; }
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set(handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get(handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return set(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set(handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get(handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  return set(handle, &cublasContext::sm_count_target, count);
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
  return get(handle, &cublasContext::sm_count_target, count);
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, size_t) {
  return context_of(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
const char* cublasGetStatusName(cublasStatus_t status) { return text_of(status).name; }
const char* cublasGetStatusString(cublasStatus_t status) { return text_of(status).text; }
cublasStatus_t cublasLoggerConfigure(int, int, int, const char*) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasSetVector(int n, int element, const void* x, int incx, void* y, int incy) {
  return copy_vector(n, element, x, incx, y, incy, nullptr, true);
}
cublasStatus_t cublasGetVector(int n, int element, const void* x, int incx, void* y, int incy) {
  return copy_vector(n, element, x, incx, y, incy, nullptr, true);
}
cublasStatus_t cublasSetVectorAsync(int n, int element, const void* x, int incx, void* y, int incy,
                                    cudaStream_t stream) {
  return copy_vector(n, element, x, incx, y, incy, stream, false);
}
cublasStatus_t cublasGetVectorAsync(int n, int element, const void* x, int incx, void* y, int incy,
                                    cudaStream_t stream) {
  return copy_vector(n, element, x, incx, y, incy, stream, false);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, nullptr, true);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int element, const void* a, int lda, void* b, int ldb) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, nullptr, true);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element, const void* a, int lda, void* b, int ldb,
                                    cudaStream_t stream) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, stream, false);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element, const void* a, int lda, void* b, int ldb,
                                    cudaStream_t stream) {
  return copy_matrix(rows, columns, element, a, lda, b, ldb, stream, false);
}
}
