// Half of the block synchronises in one branch, half in the other.
// ranks: 1
// fault: divergent_barrier
#include <cstdio>

__global__ void halves(int* values) {
  __shared__ int copy[64];
  copy[threadIdx.x] = values[threadIdx.x];
#ifdef FAULT
  if (threadIdx.x < 32) {
    __syncthreads();
    values[threadIdx.x] = copy[63 - threadIdx.x];
  } else {
    values[threadIdx.x] += 1;
    __syncthreads();
  }
#else
  if (threadIdx.x >= 32) values[threadIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x < 32) values[threadIdx.x] = copy[63 - threadIdx.x];
#endif
}

int main() {
  int* values;
  cudaMalloc(&values, 64 * sizeof(int));
  cudaMemset(values, 0, 64 * sizeof(int));
  halves<<<1, 64>>>(values);
  cudaDeviceSynchronize();
  cudaFree(values);
  return 0;
}
