// The root broadcasts the table by its number of entries; all use the whole table.
// ranks: 3
// expect: no findings
#include "../threads.h"

constexpr int kPairs = 80;

__global__ void make_table(float2* table) {
  table[threadIdx.x] = make_float2(static_cast<float>(threadIdx.x), 1.0f);
}

__global__ void apply(const float2* table, float* out) {
  float2 entry = table[threadIdx.x];
  out[threadIdx.x] = entry.x + entry.y;
}

int run_rank(const Member& self) {
  float2* table;
  float* out;
  CHECK(cudaMalloc(&table, kPairs * sizeof(float2)));
  CHECK(cudaMalloc(&out, kPairs * sizeof(float)));
  if (self.rank == 0) make_table<<<1, kPairs>>>(table);
  CHECK(ncclBroadcast(table, table, 2 * kPairs, ncclFloat, 0, self.comm, nullptr));
  apply<<<1, kPairs>>>(table, out);
  std::vector<float> got(kPairs);
  CHECK(cudaMemcpy(got.data(), out, kPairs * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kPairs; i++) wrong += got[i] != static_cast<float>(i + 1);
  CHECK(cudaFree(out));
  CHECK(cudaFree(table));
  return wrong;
}

int main() { return run_as_threads(3, run_rank); }
