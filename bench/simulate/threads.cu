// A million threads: argument 0 only store, 1 meet once at a barrier, 2 shuffle 16 times.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int kThreads = 1 << 20;

__global__ void store(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

__global__ void meet(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void shuffle(int* out) {
  int value = threadIdx.x;
  for (int i = 0; i < 16; i++) value += __shfl_xor_sync(~0u, value, 1 + i % 31);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main(int, char** argv) {
  int* out;
  cudaMalloc(&out, kThreads * sizeof(int));
  int kind = std::atoi(argv[1]);
  if (kind == 0) store<<<kThreads / 256, 256>>>(out);
  if (kind == 1) meet<<<kThreads / 256, 256>>>(out);
  if (kind == 2) shuffle<<<kThreads / 256, 256>>>(out);
  int last = 0;
  cudaMemcpy(&last, out + kThreads - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%d\n", last);
  cudaFree(out);
}
