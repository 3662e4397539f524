// Blocks take the next tile from a counter: who gets which depends on who comes first.
// run: -n 2 --once
// expect: writes b1: a table of 32 blocks, 1 piece each
// expect: no form: order-dependent: when blocks start in another order they touch other bytes
#include "ranks.h"

__global__ void fill(int* next, float* out) {
  __shared__ int tile;
  if (threadIdx.x == 0) tile = atomicAdd(next, 1);
  __syncthreads();
  out[tile * 32 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int* next;
  cudaMalloc(&next, sizeof(int));
  cudaMemset(next, 0, sizeof(int));
  float* out = floats(16 * 32);
  fill<<<16, 32>>>(next, out);
  gather(ranks, out, 16 * 32);
}
