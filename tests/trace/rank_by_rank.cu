// Ranks do not have a rule in common, but each has a form of its own.
// run: -n 4 --once
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int begins[] = {0, 64, 48, 16};
  float* out = floats(128);
  fill<<<4, 16>>>(out + begins[ranks.rank]);
  gather(ranks, out, 128);
}
