// A pipeline stage sends the activation to the next one in the micro-batches that it is received in.
// ranks: 2
// expect: no findings
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
    for (int batch = 0; batch < kBatches; batch++)
      CHECK(ncclSend(values + batch * chunk, chunk, ncclFloat, 1, self.comm, nullptr));
  } else {
    for (int batch = 0; batch < kBatches; batch++)
      CHECK(ncclRecv(values + batch * chunk, chunk, ncclFloat, 0, self.comm, nullptr));
  }
  std::vector<float> got(kCount);
  CHECK(cudaMemcpy(got.data(), values, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != static_cast<float>(i);
  CHECK(cudaFree(values));
  return wrong;
}

int main() { return run_as_threads(2, run_stage); }
