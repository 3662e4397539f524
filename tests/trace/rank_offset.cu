// An all-gather in place: every rank writes its own slice of the gathered rows.
// run: -n 2 -- m=64 n=32
// expect: writes b0: rows [8*by+(m/ranks)*rank, 8*by+(m/ranks)*rank+8) x columns [8*bx, 8*bx+8) of a row of n elements
// expect: held at m=128, n=64, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void fill(float* slice, int n) {
  slice[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 8 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int m = argument(argc, argv, "m", 64), n = argument(argc, argv, "n", 32), rows = m / ranks.count;
  float* all = floats(m * n);
  float* slice = all + ranks.rank * rows * n;
  fill<<<dim3(n / 8, rows / 8), dim3(8, 8)>>>(slice, n);
  ncclAllGather(slice, all, rows * n, ncclFloat, ranks.comm, nullptr);
}
