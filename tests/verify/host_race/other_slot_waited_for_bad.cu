// Two pinned slots feed a stream each; before a slot is refilled the host waits for the copy from the other one.
// ranks: 2
// expect-finding: host_race
#include "../threads.h"

constexpr int kBatches = 6;
constexpr int kCount = 512;

__global__ void accumulate(const int* batch, int* sum) { sum[threadIdx.x] += batch[threadIdx.x]; }

struct Slot {
  int *host, *batch, *sum;
  cudaStream_t stream;
  cudaEvent_t copied;

  Slot() {
    CHECK(cudaMallocHost(&host, kCount * sizeof(int)));
    CHECK(cudaMalloc(&batch, kCount * sizeof(int)));
    CHECK(cudaMalloc(&sum, kCount * sizeof(int)));
    CHECK(cudaMemset(sum, 0, kCount * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
  }
  ~Slot() {
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(batch));
    CHECK(cudaFreeHost(host));
  }
};

int run_rank(const Member& self) {
  Slot slots[2];
  for (int i = 0; i < kBatches; i++) {
    Slot& slot = slots[i % 2];
    if (i >= 2) CHECK(cudaEventSynchronize(slots[1 - i % 2].copied));  // FAULT
    for (int j = 0; j < kCount; j++) slot.host[j] = self.rank + i;  // FAULT
    CHECK(cudaMemcpyAsync(slot.batch, slot.host, kCount * sizeof(int), cudaMemcpyHostToDevice,  // FAULT
                          slot.stream));
    CHECK(cudaEventRecord(slot.copied, slot.stream));
    accumulate<<<1, kCount, 0, slot.stream>>>(slot.batch, slot.sum);
  }
  int wrong = 0;
  for (Slot& slot : slots) {
    std::vector<int> got(kCount);
    CHECK(cudaStreamSynchronize(slot.stream));
    CHECK(cudaMemcpy(got.data(), slot.sum, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  }
  return wrong;
}

int main() { return run_as_threads(2, run_rank); }
