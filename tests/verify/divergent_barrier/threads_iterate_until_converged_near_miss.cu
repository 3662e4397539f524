// The threads of a solver leave the sweep loop, which holds a barrier, when all of their cells have converged.
// ranks: 2
// expect: no findings
#include "../threads.h"

constexpr int kCells = 64;

__global__ void relax(float* cells) {
  __shared__ float tile[kCells];
  float value = cells[threadIdx.x];
  for (int sweep = 0; sweep < 100; sweep++) {
    tile[threadIdx.x] = value;
    __syncthreads();
    float next = 0.5f * tile[threadIdx.x];
    __syncthreads();
    bool is_done = next < 1.0f;
    value = next;
    if (__syncthreads_and(is_done)) break;
  }
  __syncthreads();
  cells[threadIdx.x] = value;
}

int run_rank(const Member& self) {
  std::vector<float> host(kCells);
  for (int i = 0; i < kCells; i++) host[i] = static_cast<float>((i + 1) * (self.rank + 1));
  float* cells;
  CHECK(cudaMalloc(&cells, kCells * sizeof(float)));
  CHECK(cudaMemcpy(cells, host.data(), kCells * sizeof(float), cudaMemcpyHostToDevice));
  relax<<<1, kCells>>>(cells);
  CHECK(cudaMemcpy(host.data(), cells, kCells * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (float cell : host) wrong += cell >= 1.0f;
  CHECK(cudaFree(cells));
  return wrong;
}

int main() { return run_as_threads(2, run_rank); }
