// Sizes that are written in the program cannot be varied: the form is for them alone.
// run: -n 2
// clang-format off
// expect: writes b0: elements [16*bx, 16*bx+16)
// expect: only for exactly the traced shape: it held at 4 ranks, 8 ranks, but two further sizes and rank counts are needed
// clang-format on
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(64);
  fill<<<4, 16>>>(out);
  gather(ranks, out, 64);
}
