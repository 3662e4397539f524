// A stencil reads the cell to the left of the first one, which lies before the array.
// ranks: 2
// expect-finding: memory_access
#include "../threads.h"

constexpr int kCells = 128;

__global__ void smooth(const float* cells, float boundary, float* out) {
  int i = threadIdx.x;
  float left = cells[i - 1];  // FAULT
  out[i] = 0.5f * (left + cells[i]);
}

int run_rank(const Member& self) {
  std::vector<float> host(kCells, 2.0f * static_cast<float>(self.rank + 1));
  float *cells, *out;
  CHECK(cudaMalloc(&cells, kCells * sizeof(float)));
  CHECK(cudaMalloc(&out, kCells * sizeof(float)));
  CHECK(cudaMemcpy(cells, host.data(), kCells * sizeof(float), cudaMemcpyHostToDevice));
  smooth<<<1, kCells>>>(cells, host[0], out);
  CHECK(ncclAllReduce(out, out, kCells, ncclFloat, ncclMax, self.comm, nullptr));
  CHECK(cudaMemcpy(host.data(), out, kCells * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (float value : host) wrong += value != 2.0f * static_cast<float>(self.count);
  CHECK(cudaFree(out));
  CHECK(cudaFree(cells));
  return wrong;
}

int main() { return run_as_threads(2, run_rank); }
