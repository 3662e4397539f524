// A block also writes a variable of the program, which is no buffer.
// run: -n 2 -- n=64
// expect: writes b0: elements [16*bx, 16*bx+16)
// expect: held at n=128, n=256, 4 ranks, 8 ranks
// expect: some block also writes memory that is no buffer of its device
#include "ranks.h"

__device__ float last;

__global__ void fill(float* out) {
  out[blockIdx.x * 16 + threadIdx.x] = 1;
  if (blockIdx.x == 0 && threadIdx.x == 0) last = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 64);
  float* out = floats(n);
  fill<<<n / 16, 16>>>(out);
  gather(ranks, out, n);
}
