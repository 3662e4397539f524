// A packed triangle: row i begins after i (i + 1) / 2 elements.
// run: -n 2 --once
// expect: writes b0: a table of 32 blocks, 1 piece each
// expect: no form: where blocks begin or end is no affine function of their index, rank and round
#include "ranks.h"

__global__ void fill(float* packed) {
  int row = blockIdx.x, begin = row * (row + 1) / 2;
  if (threadIdx.x <= row) packed[begin + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* packed = floats(16 * 17 / 2);
  fill<<<16, 16>>>(packed);
  gather(ranks, packed, 16 * 17 / 2);
}
