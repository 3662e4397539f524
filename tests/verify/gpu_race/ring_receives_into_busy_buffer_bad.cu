// The exchange stream receives into the buffer that the compute stream may still be reading from the step before.
// ranks: 3
// expect-finding: gpu_race
#include <utility>

#include "../../simulate/support.h"

constexpr int kCount = 256;

__global__ void accumulate(const int* block, int* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += block[i];  // FAULT
}

struct Ring {
  const Ranks& ranks;
  int *current, *incoming, *sum;
  cudaStream_t compute, exchange;
  cudaEvent_t arrived, computed;

  explicit Ring(const Ranks& all) : ranks(all) {
    for (int** buffer : {&current, &incoming, &sum}) CHECK(cudaMalloc(buffer, kCount * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&exchange, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&arrived, &computed}) CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    upload(current, std::vector<int>(kCount, ranks.rank + 1));
    CHECK(cudaMemset(sum, 0, kCount * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
  }
  ~Ring() {
    for (int* buffer : {current, incoming, sum}) CHECK(cudaFree(buffer));
    for (cudaStream_t stream : {compute, exchange}) CHECK(cudaStreamDestroy(stream));
    for (cudaEvent_t event : {arrived, computed}) CHECK(cudaEventDestroy(event));
  }
  void pass_on() {
    int next = (ranks.rank + 1) % ranks.count, previous = (ranks.rank + ranks.count - 1) % ranks.count;
    CHECK(ncclGroupStart());
    CHECK(ncclSend(current, kCount, ncclInt, next, ranks.comm, exchange));
    CHECK(ncclRecv(incoming, kCount, ncclInt, previous, ranks.comm, exchange));  // FAULT
    CHECK(ncclGroupEnd());                                                       // FAULT
  }
  void step(bool last) {
    if (!last) pass_on();
    accumulate<<<2, 128, 0, compute>>>(current, sum);  // FAULT
    CHECK(cudaEventRecord(computed, compute));
    CHECK(cudaEventRecord(arrived, exchange));
    CHECK(cudaStreamWaitEvent(compute, arrived, 0));
    std::swap(current, incoming);
  }
};

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Ring ring(ranks);
    for (int step = 0; step < ranks.count; step++) ring.step(step + 1 == ranks.count);
    CHECK(cudaDeviceSynchronize());
    for (int value : download(ring.sum, kCount)) wrong += value != ranks.count * (ranks.count + 1) / 2;
  }
  return ranks.verdict(wrong);
}
