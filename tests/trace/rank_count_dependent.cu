// With four ranks blocks take the tiles from the end.
// run: -n 2 -- n=128
// expect: writes b0: elements [16*bx, 16*bx+16)
// expect: only for exactly the traced shape: at 4 ranks the form is another
#include "ranks.h"

__global__ void fill(float* out, bool from_end) {
  int tile = from_end ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  out[tile * 16 + threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 128);
  float* out = floats(n);
  fill<<<n / 16, 16>>>(out, ranks.count == 4);
  gather(ranks, out, n);
}
