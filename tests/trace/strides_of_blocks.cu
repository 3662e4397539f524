// Every block has a stride of its own.
// run: -n 2 --once
// expect: writes b0: a table of 16 blocks, 10 to 32 pieces each
// expect: no form: the distance of pieces differs from block to block
#include "ranks.h"

__global__ void fill(float* out) {
  if ((threadIdx.x * threadIdx.x) % (blockIdx.x + 2) == 0) out[blockIdx.x * 64 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(8 * 64);
  fill<<<8, 64>>>(out);
  gather(ranks, out, 8 * 64);
}
