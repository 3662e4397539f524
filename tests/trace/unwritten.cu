// The last 16 of the floats that are sent are written by nobody.
// run: -n 2 --once
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(64);
  fill<<<3, 16>>>(out);
  gather(ranks, out, 64);
}
