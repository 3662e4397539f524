// Rounds whose offsets follow no line have a form each.
// run: -n 2 --once
// expect: writes b0: by 4 forms
// expect: round 0: elements [16*bx, 16*bx+16)
// expect: round 1: elements [16*bx+64, 16*bx+80)
// expect: round 2: elements [16*bx+16, 16*bx+32)
// expect: round 3: elements [16*bx+128, 16*bx+144)
// expect: only for exactly the traced shape
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(256);
  for (int begin : {0, 64, 16, 128}) fill<<<4, 16>>>(out + begin);
  gather(ranks, out, 256);
}
