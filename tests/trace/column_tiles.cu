// Tiles of 8 rows and 16 columns: pieces with the pitch of a row.
// run: -n 2 -- m=32 n=64
// expect: writes b0: rows [8*by, 8*by+8) x columns [16*bx, 16*bx+16) of a row of n elements
// expect: held at m=64, n=128, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void fill(float* out, int n) { out[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int m = argument(argc, argv, "m", 32), n = argument(argc, argv, "n", 64);
  float* out = floats(m * n);
  fill<<<dim3(n / 16, m / 8), dim3(16, 8)>>>(out, n);
  gather(ranks, out, m * n);
}
