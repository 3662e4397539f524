// Each block leaves holes of its own pattern.
// run: -n 2 --once
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
