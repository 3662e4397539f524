// The tile grows with the number of ranks: a form in n and the extent of the grid.
// run: -n 2 -- n=128
// expect: writes b0: elements [(n/grid.x)*bx, (n/grid.x)*bx+n/grid.x)
// expect: held at n=256, n=512, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void fill(float* out, int tile) {
  for (int i = threadIdx.x; i < tile; i += blockDim.x) out[blockIdx.x * tile + i] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 128), tile = ranks.count == 4 ? 32 : 16;
  float* out = floats(n);
  fill<<<n / tile, 16>>>(out, tile);
  gather(ranks, out, n);
}
