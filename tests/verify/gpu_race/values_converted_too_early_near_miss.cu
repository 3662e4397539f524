// A kernel converts values after the stream that writes them has come to its end.
// ranks: 1
// expect: no findings
#include <cuda_bf16.h>

#include <cstdio>

constexpr int kCount = 512;

__global__ void fill(__nv_bfloat16* values) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = __float2bfloat16(blockIdx.x + 1.0f);
}

// A value is read by its conversion alone.
__global__ void widen(const __nv_bfloat16* values, float* wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  wide[i] = static_cast<float>(values[i]);
}

int main() {
  __nv_bfloat16* values;
  float *wide, got[kCount];
  cudaStream_t producer, consumer;
  cudaMalloc(&values, kCount * sizeof(__nv_bfloat16));
  cudaMalloc(&wide, sizeof got);
  cudaMemset(values, 0, kCount * sizeof(__nv_bfloat16));
  cudaStreamCreate(&producer);
  cudaStreamCreate(&consumer);
  cudaDeviceSynchronize();
  fill<<<kCount / 64, 64, 0, producer>>>(values);
  cudaStreamSynchronize(producer);
  widen<<<kCount / 64, 64, 0, consumer>>>(values, wide);
  cudaDeviceSynchronize();
  cudaMemcpy(got, wide, sizeof got, cudaMemcpyDeviceToHost);
  bool wrong = got[0] < 0;
  std::printf("%d wrong\n", wrong);
  cudaStreamDestroy(consumer);
  cudaStreamDestroy(producer);
  cudaFree(wide);
  cudaFree(values);
  return wrong;
}
