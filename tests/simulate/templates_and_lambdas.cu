// Deduced template arguments, a device lambda, dynamic shared memory, constants and a kernel passed by address.
// ranks: 1
// expect: ok
// expect: 3 11 63 7 128
#include <cstdio>

__constant__ float factor[2];
__device__ int launches;

template <typename Function>
__global__ void apply(Function function, float* values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = function(values[i]);
}

template <typename T, int kCount>
__global__ void rotate(T* values) {
  extern __shared__ unsigned char raw[];
  T* copy = reinterpret_cast<T*>(raw);
  copy[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = copy[(threadIdx.x + kCount - 1) % kCount];
  if (threadIdx.x == 0) atomicAdd(&launches, 7);
}

__global__ void scale(float* values) { values[threadIdx.x] = values[threadIdx.x] * factor[0] + factor[1]; }

__global__ void count_blocks(unsigned* counter) {
  if (threadIdx.x == 0) atomicInc(counter, 1u << 20);
}

int main() {
  float* values;
  cudaMallocManaged(&values, 64 * sizeof(float));
  for (int i = 0; i < 64; i++) values[i] = static_cast<float>(i);
  float offset = 2;
  apply<<<2, 32>>>([=] __device__(float x) { return x + offset; }, values, 64);
  cudaDeviceSynchronize();
  int third = static_cast<int>(values[1]);
  float constants[2] = {3, 2};
  cudaMemcpyToSymbol(factor, constants, sizeof constants);
  scale<<<1, 1>>>(values + 1);
  cudaDeviceSynchronize();
  int scaled = static_cast<int>(values[1]);
  double* doubles;
  cudaMallocManaged(&doubles, 64 * sizeof(double));
  for (int i = 0; i < 64; i++) doubles[i] = i;
  rotate<double, 64><<<1, 64, 64 * sizeof(double)>>>(doubles);
  cudaDeviceSynchronize();
  int seen;
  cudaMemcpyFromSymbol(&seen, launches, sizeof seen);
  unsigned* counter;
  cudaMallocManaged(&counter, sizeof(unsigned));
  *counter = 0;
  void* arguments[] = {&counter};
  cudaLaunchKernel((void*)count_blocks, dim3(128), dim3(32), arguments, 0, nullptr);
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d %u\n", third, scaled, static_cast<int>(doubles[0]), seen, *counter);
  return 0;
}
