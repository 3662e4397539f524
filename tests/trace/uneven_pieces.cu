// Each block leaves holes of its own pattern.
// run: -n 2 --once
// expect: writes b0: a table of 16 blocks, 10 to 11 pieces each
// expect: no form: block (0,0,0) touches 11 pieces of unequal size or distance
#include "ranks.h"

__global__ void fill(float* out) {
  if ((threadIdx.x * 37 + blockIdx.x * 11) % 13 < 5) out[blockIdx.x * 64 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(8 * 64);
  fill<<<8, 64>>>(out);
  gather(ranks, out, 8 * 64);
}
