// The last 16 of the floats that are sent are written by nobody.
// run: -n 2 --once
// clang-format off
// expect: writes b0: elements [16*bx, 16*bx+16)
// expect: only for exactly the traced shape
// expect: ranks.h:50  ncclAllGather of rank 0 sends 64 bytes of b0 from byte 192 on that no launch or call of the trace wrote
// clang-format on
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(64);
  fill<<<3, 16>>>(out);
  gather(ranks, out, 64);
}
