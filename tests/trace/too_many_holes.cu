// One block leaves more holes than a trace keeps.
// run: -n 2 --once
// expect: writes b0: bounds only
// expect: no form: some block leaves so many holes that only its bounds are known
#include "ranks.h"

__global__ void fill(float* out) {
  for (int i = threadIdx.x; i < 20000; i += blockDim.x) out[i * 2 + i % 7 / 6] = 1;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* out = floats(40001);
  fill<<<1, 64>>>(out);
  gather(ranks, out, 40001);
}
