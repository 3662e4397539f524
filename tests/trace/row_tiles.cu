// Each block writes 8 whole rows: one contiguous piece, whose length is a multiple of n.
// run: -n 2 -- m=64 n=32
// expect: writes b0: rows [8*bx, 8*bx+8) of n elements
// expect: held at m=128, n=64, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void fill(float* out, int n) {
  for (int row = 0; row < 8; row++)
    for (int column = threadIdx.x; column < n; column += blockDim.x) out[(blockIdx.x * 8 + row) * n + column] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int m = argument(argc, argv, "m", 64), n = argument(argc, argv, "n", 32);
  float* out = floats(m * n);
  fill<<<m / 8, 32>>>(out, n);
  gather(ranks, out, m * n);
}
