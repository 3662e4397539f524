// Two buffers in turn: each is touched in every second round.
// run: -n 2 -- n=64
// expect: writes b0: elements [16*bx, 16*bx+16)
// expect: held at n=128, n=256, 4 ranks, 8 ranks
// expect: in 2 of 4 rounds
// expect: writes b1: elements [16*bx, 16*bx+16)
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 64);
  float *buffers[] = {floats(n), floats(n)}, *all = floats(n * ranks.count);
  for (int round = 0; round < 4; round++) {
    fill<<<n / 16, 16>>>(buffers[round % 2]);
    ncclAllGather(buffers[round % 2], all, n, ncclFloat, ranks.comm, nullptr);
  }
}
