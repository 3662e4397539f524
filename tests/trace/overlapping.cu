// Neighbouring blocks write the same border.
// run: -n 2 -- n=128
// expect: writes b0: elements [32*bx, 32*bx+36)
// expect: held at n=256, n=512, 4 ranks, 8 ranks
// expect: overlap: 48 of 528 bytes are written by more than one block of a launch
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 32 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 128);
  float* out = floats(n + 4);
  fill<<<n / 32, 36>>>(out);
  gather(ranks, out, n + 4);
}
