// From n = 128 on blocks take the tiles from the end.
// run: -n 2 -- n=64
// expect: writes b0: elements [16*bx, 16*bx+16)
// expect: only for exactly the traced shape: at n=128 the form is another
#include "ranks.h"

__global__ void fill(float* out, int n) {
  int tile = n < 128 ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
  out[tile * 16 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 64);
  float* out = floats(n);
  fill<<<n / 16, 16>>>(out, n);
  gather(ranks, out, n);
}
