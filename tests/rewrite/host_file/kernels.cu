#include "host_file/kernels.h"

__global__ void make_data(float* data, int count, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = i % 13 + rank;
}
__global__ void add_data(float* to, const float* from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] += from[i] * 2;
}

void make(float* data, int count, int rank, cudaStream_t stream) {
  make_data<<<(count + 127) / 128, 128, 0, stream>>>(data, count, rank);
}
void add(float* to, const float* from, int count, cudaStream_t stream) {
  add_data<<<(count + 127) / 128, 128, 0, stream>>>(to, from, count);
}
