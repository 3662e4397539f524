// A loop with the stride of the grid; the last round is cut off by the end of the data.
// run: -n 2 -- n=1000
// expect: writes b0: rows from 0 on x columns [32*bx, 32*bx+32) of a row of 128 elements, below n
// expect: held at n=2000, n=4000, 4 ranks, 8 ranks
#include "ranks.h"

__global__ void scale(float* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = 2;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 1000);
  float* data = floats(n);
  scale<<<4, 32>>>(data, n);
  gather(ranks, data, n);
}
