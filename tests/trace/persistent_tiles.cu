// Three blocks go round over twelve tiles of two dimensions: each has tiles in several rows and columns.
// run: -n 2 --once
// expect: writes b0: a table of 6 blocks, 25 pieces each
// expect: no form: block (0,0,0) touches 25 pieces of unequal size or distance
#include "ranks.h"

__global__ void fill(float* out) {
  for (int tile = blockIdx.x; tile < 12; tile += gridDim.x)
    out[(tile / 4 * 8 + threadIdx.y) * 64 + tile % 4 * 16 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(24 * 64);
  fill<<<3, dim3(16, 8)>>>(out);
  gather(ranks, out, 24 * 64);
}
