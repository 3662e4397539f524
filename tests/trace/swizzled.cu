// Tiles in an order that mixes the bits of the block's index: no affine form, but a table.
// run: -n 2 --once
// expect: writes b0: a table of 32 blocks, 1 piece each
// expect: no form: where blocks begin or end is no affine function of their index, rank and round
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
