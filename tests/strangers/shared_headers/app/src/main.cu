// stranger: a project of several programs: the header that all of them communicate through lies above this one's folder
// ranks: 4
// arguments: 3000
// expect-output: mean of ranks is right
// convert: lsa gin
#include "../../common/world.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void own_share(float* values, int count, int rank, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = float(rank + i % 7) / size;
}

int main(int argc, char** argv) {
  World world(&argc, &argv);
  const int count = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  float* values;
  must(cudaMalloc(&values, count * sizeof(float)));
  own_share<<<(count + 127) / 128, 128, 0, world.stream()>>>(values, count, world.rank(), world.size());
  world.sum(values, count);
  std::vector<float> mean(count);
  must(cudaMemcpyAsync(mean.data(), values, count * sizeof(float), cudaMemcpyDeviceToHost, world.stream()));
  must(cudaStreamSynchronize(world.stream()));
  bool right = true;
  for (int i = 0; i < count; i++) right &= mean[i] == (world.size() - 1) / 2.0f + i % 7;
  std::printf("rank %d: mean of ranks is %s\n", world.rank(), right ? "right" : "wrong");
  must(cudaFree(values));
  return right ? 0 : 1;
}
