#include "kernels.h"

__global__ void fill_kernel(REAL* out, size_t count, int value) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < count) out[i] = value;
}

void fill(REAL* out, size_t count, int value, cudaStream_t stream) {
  fill_kernel<<<(unsigned)((count + 31) / 32), 32, 0, stream>>>(out, count, value);
}
