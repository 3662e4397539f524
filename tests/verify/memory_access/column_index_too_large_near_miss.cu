// The last column index is that of the last element.
// ranks: 1
#include <cusparse.h>

#include <cstdio>
#include <vector>

constexpr int kRows = 4, kColumns = 4;

template <typename T>
T* on_device(const std::vector<T>& host) {
  T* device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  int* offsets = on_device<int>({0, 1, 2, 3, 4});
  int* columns = on_device<int>({0, 1, 2, 3});
  float *values = on_device<float>({1, 2, 3, 4}), *x = on_device<float>({1, 1, 1, 1}), *y = on_device<float>({0, 0, 0, 0});
  cusparseHandle_t handle;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy;
  cusparseCreate(&handle);
  cusparseCreateCsr(&a, kRows, kColumns, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&vx, kColumns, x, CUDA_R_32F);
  cusparseCreateDnVec(&vy, kRows, y, CUDA_R_32F);
  float one = 1, zero = 0;
  cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  float host[kRows];
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[3]);
  cusparseDestroySpMat(a);
  cusparseDestroyDnVec(vx);
  cusparseDestroyDnVec(vy);
  cusparseDestroy(handle);
  for (int* buffer : {offsets, columns}) cudaFree(buffer);
  for (float* buffer : {values, x, y}) cudaFree(buffer);
}
