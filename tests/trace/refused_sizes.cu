// The program takes one size and two ranks only.
// run: -n 2 -- n=64
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 64);
  if (n != 64 || ranks.count != 2) return 3;
  float* out = floats(n);
  fill<<<n / 16, 16>>>(out);
  gather(ranks, out, n);
}
