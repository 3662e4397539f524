// A histogram: every block changes all of it.
// run: -n 2 -- n=256
// expect: reads b0: elements [0, 64)
// expect: held at n=512, n=1024, 4 ranks, 8 ranks
// expect: every block touches the same bytes
// expect: changed by atomic operations
// expect: writes b0: elements [0, 64)
#include "ranks.h"

__global__ void count(float* bins) { atomicAdd(&bins[threadIdx.x], 1.f); }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int n = argument(argc, argv, "n", 256);
  float* bins = floats(64);
  count<<<n / 64, 64>>>(bins);
  ncclAllReduce(bins, bins, 64, ncclFloat, ncclSum, ranks.comm, nullptr);
}
