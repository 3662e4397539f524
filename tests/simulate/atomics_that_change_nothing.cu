// Updates that leave memory as it was, again and again: no spin loop, so nobody is stuck.
// ranks: 1
// expect: ok
// expect: largest 7, sum 0, swaps 0
#include <cuda_runtime.h>

#include <cstdio>

__global__ void look_often(int* largest, int* sum, int* swaps, int rounds) {
  for (int i = 0; i < rounds; i++) {
    atomicMax(largest, i % 8);
    atomicAdd(sum, 0);
    atomicCAS(swaps, 1, 2);
  }
}

int main() {
  int* values;
  cudaMalloc(&values, 3 * sizeof(int));
  cudaMemset(values, 0, 3 * sizeof(int));
  look_often<<<2, 32>>>(values, values + 1, values + 2, 300);
  int got[3];
  cudaMemcpy(got, values, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("largest %d, sum %d, swaps %d\n", got[0], got[1], got[2]);
  cudaFree(values);
}
