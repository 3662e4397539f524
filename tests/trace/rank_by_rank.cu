// Ranks do not have a rule in common, but each has a form of its own.
// run: -n 4 --once
// expect: writes b0: by 4 forms
// expect: rank 0, round 0: elements [16*bx, 16*bx+16)
// expect: rank 1, round 0: elements [16*bx+64, 16*bx+80)
// expect: rank 2, round 0: elements [16*bx+48, 16*bx+64)
// expect: rank 3, round 0: elements [16*bx+16, 16*bx+32)
// expect: only for exactly the traced shape
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int begins[] = {0, 64, 48, 16};
  float* out = floats(128);
  fill<<<4, 16>>>(out + begins[ranks.rank]);
  gather(ranks, out, 128);
}
