// Two pinned slots feed a stream each; before a slot is refilled the host waits for its last copy.
// ranks: 2
// expect: no findings
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
    if (i >= 2) CHECK(cudaEventSynchronize(slot.copied));
    for (int j = 0; j < kCount; j++) slot.host[j] = self.rank + i;
    CHECK(cudaMemcpyAsync(slot.batch, slot.host, kCount * sizeof(int), cudaMemcpyHostToDevice,
                          slot.stream));
    CHECK(cudaEventRecord(slot.copied, slot.stream));
    accumulate<<<1, kCount, 0, slot.stream>>>(slot.batch, slot.sum);
  }
  int wrong = 0;
  for (Slot& slot : slots) {
    std::vector<int> got(kCount);
    CHECK(cudaStreamSynchronize(slot.stream));
    CHECK(cudaMemcpy(got.data(), slot.sum, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    int expected = 3 * self.rank + (&slot == slots ? 6 : 9);
    for (int value : got) wrong += value != expected;
  }
  return wrong;
}

int main() { return run_as_threads(2, run_rank); }
