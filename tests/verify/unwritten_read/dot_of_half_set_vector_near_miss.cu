// The whole vector is set before cuBLAS adds it up.
// ranks: 1
#include <cublas_v2.h>

#include <cstdio>

constexpr int kCount = 256;

int main() {
  float *x, *y, result = 0;
  cudaMalloc(&x, kCount * sizeof(float));
  cudaMalloc(&y, kCount * sizeof(float));
  cudaMemset(x, 0, kCount * sizeof(float));
  cudaMemset(y, 0, kCount * sizeof(float));
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSdot(handle, kCount, x, 1, y, 1, &result);
  std::printf("%g\n", result);
  cublasDestroy(handle);
  cudaFree(x);
  cudaFree(y);
}
