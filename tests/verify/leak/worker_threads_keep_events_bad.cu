// Every worker thread makes an event for each batch and destroys only the last one.
// ranks: 2
// expect-finding: leak
#include "../threads.h"

constexpr int kBatches = 4;

__global__ void step(int* value) { *value += 1; }

int run_rank(const Member&) {
  int *value, got = 0;
  CHECK(cudaMalloc(&value, sizeof(int)));
  CHECK(cudaMemset(value, 0, sizeof(int)));
  std::vector<cudaEvent_t> events(kBatches);
  for (cudaEvent_t& event : events) {
    CHECK(cudaEventCreate(&event));  // FAULT
    step<<<1, 1>>>(value);
    CHECK(cudaEventRecord(event, nullptr));
  }
  CHECK(cudaEventSynchronize(events.back()));
  CHECK(cudaEventDestroy(events.back()));
  CHECK(cudaMemcpy(&got, value, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(value));
  return got != kBatches;
}

int main() { return run_as_threads(2, run_rank); }
