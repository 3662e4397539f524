#include "collective_table.h"

static void start_sum(const float* in, float* out, size_t count, ncclComm_t comm, cudaStream_t stream) {
  ncclAllReduce(in, out, count, ncclFloat, ncclSum, comm, stream);
}

static void run(const Collective* which, ncclComm_t comm, cudaStream_t stream) {
  float *in, *out;
  cudaMalloc(reinterpret_cast<void**>(&in), 4096);
  cudaMalloc(reinterpret_cast<void**>(&out), 4096);
  which->start(in, out, 1024, comm, stream);
  cudaStreamSynchronize(stream);
}

Collective collective = {"sum", start_sum};
__attribute__((weak)) struct Engine engine = {run};
