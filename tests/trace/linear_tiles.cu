// A grid of one dimension over tiles of two: row and column of a tile are quotient and remainder.
// run: -n 2 -- m=32 n=64
// clang-format off
// expect: writes b0: rows [8*(b/(n/16)), 8*(b/(n/16))+8) x columns [16*(b%(n/16)), 16*(b%(n/16))+16) of a row of n elements
// expect: held at m=64, n=128, 4 ranks, 8 ranks
// clang-format on
#include "ranks.h"

__global__ void fill(float* out, int n) {
  int tiles = n / 16, row = blockIdx.x / tiles * 8 + threadIdx.y, column = blockIdx.x % tiles * 16 + threadIdx.x;
  out[row * n + column] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int m = argument(argc, argv, "m", 32), n = argument(argc, argv, "n", 64);
  float* out = floats(m * n);
  fill<<<n / 16 * (m / 8), dim3(16, 8)>>>(out, n);
  gather(ranks, out, m * n);
}
