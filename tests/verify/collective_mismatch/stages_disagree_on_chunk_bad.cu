// A pipeline stage sends the whole activation to the next one, which receives it in the micro-batches of an older version.
// ranks: 2
// expect-finding: collective_mismatch
#include "../threads.h"

constexpr int kCount = 120;
constexpr int kBatches = 3;

__global__ void produce(float* values) { values[threadIdx.x] = static_cast<float>(threadIdx.x); }

int run_stage(const Member& self) {
  float* values;
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  const int chunk = kCount / kBatches;
  if (self.rank == 0) {
    produce<<<1, kCount>>>(values);
    CHECK(ncclSend(values, kCount, ncclFloat, 1, self.comm, nullptr));  // FAULT
  } else {
    for (int batch = 0; batch < kBatches; batch++)
      CHECK(ncclRecv(values + batch * chunk, chunk, ncclFloat, 0, self.comm, nullptr));  // FAULT
  }
  std::vector<float> got(kCount);
  CHECK(cudaMemcpy(got.data(), values, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != static_cast<float>(i);
  CHECK(cudaFree(values));
  return wrong;
}

int main() { return run_as_threads(2, run_stage); }
