// Every block changes what it reads; a second kernel reads with a halo that ends at the borders.
// run: -n 2 -- n=128
// expect: reads b0: elements [32*bx, 32*bx+32)
// expect: held at n=256, n=512, 4 ranks, 8 ranks
// expect: writes b0: elements [32*bx, 32*bx+32)
// expect: blocks read bytes that they write
// expect: reads b0: elements [max(32*bx-1, 0), min(32*bx+33, n))
#include "ranks.h"

__global__ void scale(float* data) { data[blockIdx.x * 32 + threadIdx.x] *= 2; }

__global__ void smooth(const float* data, float* out, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = data[i > 0 ? i - 1 : 0] + data[i] + data[i + 1 < n ? i + 1 : n - 1];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 128);
  float *data = floats(n), *out = floats(n);
  scale<<<n / 32, 32>>>(data);
  smooth<<<n / 32, 32>>>(data, out, n);
  gather(ranks, data, n);
}
