// A ring: in every round a rank writes the part that is so many places before its own.
// run: -n 4 -- n=64
// expect: writes b0: elements [16*bx+n*((rank-round)%ranks), 16*bx+n*((rank-round)%ranks)+16)
// expect: held at n=128, n=256, 8 ranks, 2 ranks
#include "ranks.h"

__global__ void fill(float* part) { part[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 64);
  float* all = floats(ranks.count * n);
  for (int round = 0; round < ranks.count; round++)
    fill<<<n / 16, 16>>>(all + (ranks.rank - round + ranks.count) % ranks.count * n);
  gather(ranks, all, ranks.count * n);
}
