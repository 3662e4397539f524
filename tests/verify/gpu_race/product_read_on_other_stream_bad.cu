// A product of cuBLAS runs on the handle's stream, and a kernel on another reads it without waiting.
// ranks: 1
// expect-finding: gpu_race
#include <cublas_v2.h>

#include <cstdio>
#include <vector>

constexpr int kOrder = 32, kCount = kOrder * kOrder;

__global__ void consume(const float* product, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = product[i] + 1;  // FAULT
}

int main() {
  float *a, *product, *out, one = 1, zero = 0;
  cudaMalloc(&a, kCount * sizeof(float));
  cudaMalloc(&product, kCount * sizeof(float));
  cudaMalloc(&out, kCount * sizeof(float));
  cudaMemset(a, 0, kCount * sizeof(float));
  cudaMemset(product, 0, kCount * sizeof(float));
  cudaDeviceSynchronize();
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, first);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kOrder, kOrder, kOrder, &one, a, kOrder, a, kOrder, &zero, product, kOrder);  // FAULT
  cudaEventRecord(done, first);
  consume<<<4, 256, 0, second>>>(product, out);  // FAULT
  std::vector<float> host(kCount);
  cudaMemcpyAsync(host.data(), out, kCount * sizeof(float), cudaMemcpyDeviceToHost, second);
  cudaStreamSynchronize(second);
  cudaStreamSynchronize(first);
  std::printf("%g\n", host[5]);
  cublasDestroy(handle);
  cudaEventDestroy(done);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  for (float* buffer : {a, product, out}) cudaFree(buffer);
}
