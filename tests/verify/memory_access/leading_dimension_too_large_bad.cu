// The leading dimension is that of a padded matrix, but the matrix was allocated without padding.
// ranks: 1
// expect-finding: memory_access
#include <cublas_v2.h>

#include <cstdio>

constexpr int kRows = 24, kColumns = 16, kStride = 32;

int main() {
  float *a, *x, *y, one = 1, zero = 0;
  cudaMalloc(&a, kRows * kColumns * sizeof(float));
  cudaMalloc(&x, kColumns * sizeof(float));
  cudaMalloc(&y, kRows * sizeof(float));
  cudaMemset(a, 0, kRows * kColumns * sizeof(float));
  cudaMemset(x, 0, kColumns * sizeof(float));
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemv(handle, CUBLAS_OP_N, kRows, kColumns, &one, a, kStride, x, 1, &zero, y, 1);  // FAULT
  float host[kRows];
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g of %d\n", host[3], kStride);
  cublasDestroy(handle);
  for (float* buffer : {a, x, y}) cudaFree(buffer);
}
