// Rounds whose offsets follow no line have a form each.
// run: -n 2 --once
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(256);
  for (int begin : {0, 64, 16, 128}) fill<<<4, 16>>>(out + begin);
  gather(ranks, out, 256);
}
