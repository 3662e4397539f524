// A launch in a loop: equal up to an offset that grows with the round.
// run: -n 2 -- n=64
// expect: writes b0: elements [16*bx+n*round, 16*bx+n*round+16)
// expect: held at n=128, n=256, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 64);
  float* out = floats(4 * n);
  for (int round = 0; round < 4; round++) fill<<<n / 16, 16>>>(out + round * n);
  gather(ranks, out, 4 * n);
}
