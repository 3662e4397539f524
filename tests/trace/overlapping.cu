// Neighbouring blocks write the same border.
// run: -n 2 -- n=128
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 32 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 128);
  float* out = floats(n + 4);
  fill<<<n / 32, 36>>>(out);
  gather(ranks, out, n + 4);
}
