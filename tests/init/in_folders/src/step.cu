#include "step.h"

__global__ void scale(const Number* in, Number* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = FACTOR * in[i];
}

void run_step(const Place* place, const Sizes* sizes, const Number* mine, Number* all) {
  int count = sizes->rows * sizes->columns;
  Number* own = all + static_cast<size_t>(place->index) * count;
  scale<<<(count + 127) / 128, 128, 0, place->stream>>>(mine, own, count);
  ncclAllGather(own, all, count, ncclFloat, place->comm, place->stream);
}
