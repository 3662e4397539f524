// Tiles in an order that mixes the bits of the block's index: no affine form, but a table.
// run: -n 2 --once
#include "ranks.h"

__global__ void fill(float* out) {
  int tile = blockIdx.x ^ (blockIdx.x >> 1);
  out[tile * 32 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(16 * 32);
  fill<<<16, 32>>>(out);
  gather(ranks, out, 16 * 32);
}
