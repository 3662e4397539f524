// The event is recorded before the wait is queued, so the wait refers to the gather.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCount = 300;

__global__ void double_values(const int* in, int* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2 * in[i];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int total = kCount * ranks.count;
  int *own, *gathered, *doubled;
  CHECK(cudaMalloc(&own, kCount * sizeof(int)));
  CHECK(cudaMalloc(&gathered, total * sizeof(int)));
  CHECK(cudaMalloc(&doubled, total * sizeof(int)));
  upload(own, std::vector<int>(kCount, ranks.rank + 5));
  CHECK(cudaMemset(gathered, 0, total * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t exchange, compute;
  CHECK(cudaStreamCreateWithFlags(&exchange, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  cudaEvent_t ready;
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(ncclAllGather(own, gathered, kCount, ncclInt, ranks.comm, exchange));
  CHECK(cudaEventRecord(ready, exchange));
  CHECK(cudaStreamWaitEvent(compute, ready, 0));
  double_values<<<(total + 127) / 128, 128, 0, compute>>>(gathered, doubled, total);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> host = download(doubled, total);
  long wrong = 0;
  for (int i = 0; i < total; i++) wrong += host[i] != 2 * (i / kCount + 5);
  CHECK(cudaEventDestroy(ready));
  for (cudaStream_t stream : {exchange, compute}) CHECK(cudaStreamDestroy(stream));
  for (int* buffer : {own, gathered, doubled}) CHECK(cudaFree(buffer));
  return ranks.verdict(wrong);
}
