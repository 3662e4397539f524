// Sizes that tiles do not divide: the last ones are cut.
// run: -n 2 -- m=20 n=50
// expect: writes b0: rows [8*by, min(8*by+8, m)) x columns [16*bx, min(16*bx+16, n)) of a row of n elements
// expect: held at m=40, n=100, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void fill(float* out, int m, int n) {
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row < m && column < n) out[row * n + column] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int m = argument(argc, argv, "m", 20), n = argument(argc, argv, "n", 50);
  float* out = floats(m * n);
  fill<<<dim3((n + 15) / 16, (m + 7) / 8), dim3(16, 8)>>>(out, m, n);
  gather(ranks, out, m * n);
}
