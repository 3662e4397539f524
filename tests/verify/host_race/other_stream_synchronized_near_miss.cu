// The host waits for the copy stream only, which itself waited for the compute stream.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCount = 256;

__global__ void scale(int* values, int factor) { values[threadIdx.x] *= factor; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cudaStream_t compute, copy;
  cudaEvent_t computed;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&computed, cudaEventDisableTiming));
  int *values, *host;
  CHECK(cudaMalloc(&values, kCount * sizeof(int)));
  CHECK(cudaMallocHost(&host, kCount * sizeof(int)));
  upload(values, std::vector<int>(kCount, ranks.rank + 1));
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclAllReduce(values, values, kCount, ncclInt, ncclSum, ranks.comm, compute));
  scale<<<1, kCount, 0, compute>>>(values, 2);
  CHECK(cudaEventRecord(computed, compute));
  CHECK(cudaStreamWaitEvent(copy, computed, 0));
  CHECK(cudaMemcpyAsync(host, values, kCount * sizeof(int), cudaMemcpyDeviceToHost, copy));
  CHECK(cudaStreamSynchronize(copy));
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != ranks.count * (ranks.count + 1);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(values));
  CHECK(cudaEventDestroy(computed));
  for (cudaStream_t stream : {compute, copy}) CHECK(cudaStreamDestroy(stream));
  return ranks.verdict(wrong);
}
