// Squares, their sum over all ranks, and all ranks' squares side by side.
#include <cuda_runtime.h>

#include "cuco/harness.h"
#include "ranks.h"

__global__ void square(const float* in, float* out, int count) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = in[i] * in[i];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cuco::Harness harness(ranks.rank, ranks.count, argc, argv);
  int count = static_cast<int>(harness.parameter("count", 2000));
  float *in = allocate<float>(count), *squares = allocate<float>(count), *sum = allocate<float>(count);
  float* all = allocate<float>(static_cast<size_t>(count) * ranks.count);
  harness.input("in", in, count, cuco::normal(0, 2));
  harness.scratch("squares", squares, count);
  harness.output("sum", sum, count, cuco::within(1e-5, 1e-5));
  harness.output("all", all, static_cast<uint64_t>(count) * ranks.count, cuco::exact());
  harness.run([&] {
    square<<<(count + 255) / 256, 256, 0, ranks.stream>>>(in, squares, count);
    CHECK(ncclAllReduce(squares, sum, count, ncclFloat32, ncclSum, ranks.comm, ranks.stream));
    CHECK(ncclAllGather(squares, all, count, ncclFloat32, ranks.comm, ranks.stream));
    CHECK(cudaStreamSynchronize(ranks.stream));
  });
  for (float* memory : {in, squares, sum, all}) CHECK(cudaFree(memory));
}
