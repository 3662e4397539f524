// Of 300 blocks that all wait, so that every bank of stacks is in use, the last recurses without end.
// verdict: fault
// finding: block 299 thread 40
// finding: the end of a GPU thread's stack: it overflowed
#include <cuda_runtime.h>

__device__ int depth_of(volatile int* depth) {
  volatile char frame[256];
  frame[0] = static_cast<char>(++*depth);
  return depth_of(depth) + frame[0];
}

__global__ void descend(volatile int* depth) {
  __syncthreads();
  if (blockIdx.x == 299 && threadIdx.x == 40) depth_of(depth);
}

int main() {
  int* depth;
  cudaMalloc(&depth, sizeof(int));
  cudaMemset(depth, 0, sizeof(int));
  descend<<<300, 512>>>(depth);
  cudaDeviceSynchronize();
}
