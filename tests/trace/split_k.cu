// The third dimension of the grid is a share of k, each with its own partial product.
// run: -n 2 -- m=16 n=32
// expect: writes b0: rows [8*by+m*bz, 8*by+m*bz+8) x columns [8*bx, 8*bx+8) of a row of n elements
// expect: held at m=32, n=64, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void multiply(float* partial, int m, int n) {
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  partial[(blockIdx.z * m + row) * n + column] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int m = argument(argc, argv, "m", 16), n = argument(argc, argv, "n", 32);
  float* partial = floats(4 * m * n);
  multiply<<<dim3(n / 8, m / 8, 4), dim3(8, 8)>>>(partial, m, n);
  gather(ranks, partial, 4 * m * n);
}
