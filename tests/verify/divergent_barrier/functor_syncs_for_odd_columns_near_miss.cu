// The barrier sits in a functor that every thread applies; what it does depends on the column.
// ranks: 1
// expect: no findings
#include <cstdio>

constexpr int kThreads = 64;

struct Mirror {
  __device__ void operator()(int* tile, bool takes_part) const {
    int value = tile[kThreads - 1 - threadIdx.x];
    __syncthreads();
    if (takes_part) tile[threadIdx.x] = value;
  }
};

template <class Step>
__global__ void transform(int* values, Step step) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  bool is_odd = threadIdx.x % 2 == 1;
  step(tile, is_odd);
  __syncthreads();
  values[threadIdx.x] = tile[threadIdx.x];
}

int main() {
  int host[kThreads], wrong = 0;
  for (int i = 0; i < kThreads; i++) host[i] = i;
  int* values;
  cudaMalloc(&values, sizeof host);
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  transform<<<1, kThreads>>>(values, Mirror());
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; i++) wrong += host[i] != (i % 2 == 1 ? kThreads - 1 - i : i);
  std::printf("%d wrong\n", wrong);
  cudaFree(values);
  return wrong != 0;
}
