// The program takes one size and two ranks only.
// run: -n 2 -- n=64
// expect: does not run at n=128: the program ended with code 3
// expect: does not run at n=256: the program ended with code 3
// expect: does not run at 4 ranks: the program ended with code 3
// expect: does not run at 8 ranks: the program ended with code 3
// expect: does not run at 6 ranks: the program ended with code 3
// expect: writes b0: elements [16*bx, 16*bx+16)
// expect: only for exactly the traced shape
#include "ranks.h"

__global__ void fill(float* out) { out[blockIdx.x * 16 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 64);
  if (n != 64 || ranks.count != 2) return 3;
  float* out = floats(n);
  fill<<<n / 16, 16>>>(out);
  gather(ranks, out, n);
}
