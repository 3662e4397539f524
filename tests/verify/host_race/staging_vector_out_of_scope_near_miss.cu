// The vector that an asynchronous copy reads from belongs to the caller, who waits before letting it go.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCount = 2000;

void send_input(float* device, std::vector<float>& staging, int rank, cudaStream_t stream) {
  for (int i = 0; i < kCount; i++) staging[i] = static_cast<float>(rank + i);
  CHECK(cudaMemcpyAsync(device, staging.data(), kCount * sizeof(float), cudaMemcpyHostToDevice, stream));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* values;
  cudaStream_t stream;
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<float> staging(kCount);
  send_input(values, staging, ranks.rank, stream);
  CHECK(ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, ranks.comm, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float> host = download(values, kCount);
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != ranks.count * (ranks.count - 1) / 2 + ranks.count * i;
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(values));
  return ranks.verdict(wrong);
}
