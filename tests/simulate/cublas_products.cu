// cuBLAS products on a stream: single precision with both transpositions and a beta, bf16 with fp32 sums, a batch.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                     \
  do {                                                                  \
    if (int result_ = static_cast<int>(call)) {                         \
      std::printf("%s:%d: error %d\n", __FILE__, __LINE__, result_);    \
      std::exit(1);                                                     \
    }                                                                   \
  } while (0)

template <typename T>
T* on_device(const std::vector<T>& host) {
  T* device;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
std::vector<T> ramp(size_t count, int step) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; i++) values[i] = T(float(int(i * step % 7) - 3));
  return values;
}

long check_single(cublasHandle_t handle, cudaStream_t stream) {
  constexpr int m = 24, n = 17, k = 9;
  std::vector<float> a = ramp<float>(m * k, 3), b = ramp<float>(n * k, 5), c = ramp<float>(m * n, 2);
  float *da = on_device(a), *db = on_device(b), *dc = on_device(c), alpha = 2, beta = -1;
  // A is stored k x m and B n x k: both are transposed.
  CHECK(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, m, n, k, &alpha, da, k, db, n, &beta, dc, m));
  std::vector<float> got(m * n);
  CHECK(cudaMemcpyAsync(got.data(), dc, got.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  long wrong = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++) sum += a[l + i * k] * b[j + l * n];
      wrong += got[i + j * m] != alpha * sum + beta * c[i + j * m];
    }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return wrong;
}

long check_batch(cublasHandle_t handle, cudaStream_t stream) {
  constexpr int size = 16, batch = 3, all = size * size * batch;
  std::vector<__nv_bfloat16> a = ramp<__nv_bfloat16>(all, 1), b = ramp<__nv_bfloat16>(all, 4);
  __nv_bfloat16 *da = on_device(a), *db = on_device(b);
  float *dc = on_device(std::vector<float>(all)), one = 1, zero = 0;
  CHECK(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, da, CUDA_R_16BF, size,
                                   size * size, db, CUDA_R_16BF, size, size * size, &zero, dc, CUDA_R_32F, size,
                                   size * size, batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  std::vector<float> got(all);
  CHECK(cudaMemcpyAsync(got.data(), dc, all * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  long wrong = 0;
  for (int at = 0; at < all; at++) {
    int base = at / (size * size) * size * size, row = at % size, column = at / size % size;
    float sum = 0;
    for (int l = 0; l < size; l++) sum += float(a[base + row + l * size]) * float(b[base + l + column * size]);
    wrong += got[at] != sum;
  }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return wrong;
}

int main() {
  cudaStream_t stream;
  cublasHandle_t handle;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cublasCreate(&handle));
  CHECK(cublasSetStream(handle, stream));
  long wrong = check_single(handle, stream) + check_batch(handle, stream);
  float *none = nullptr, one = 1;
  wrong += cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, none, 4, none, 8, &one, none, 8) !=
           CUBLAS_STATUS_INVALID_VALUE;
  CHECK(cublasDestroy(handle));
  CHECK(cudaStreamDestroy(stream));
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
