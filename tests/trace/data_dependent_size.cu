// How much of its part a block writes is drawn.
// run: -n 2 --once
// expect: writes b1: a table of 16 blocks, 1 piece each
// expect: no form: data-dependent: with other inputs blocks touch other bytes
#include "ranks.h"

__global__ void fill(const int* lengths, float* out) {
  if (threadIdx.x < lengths[blockIdx.x]) out[blockIdx.x * 64 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int lengths[8], *on_device;
  for (int& length : lengths) length = 1 + rand() % 64;
  cudaMalloc(&on_device, sizeof(lengths));
  cudaMemcpy(on_device, lengths, sizeof(lengths), cudaMemcpyHostToDevice);
  float* out = floats(8 * 64);
  fill<<<8, 64>>>(on_device, out);
  gather(ranks, out, 8 * 64);
}
