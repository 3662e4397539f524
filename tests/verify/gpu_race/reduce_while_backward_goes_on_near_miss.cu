// The gradient of a layer is reduced on a second stream, behind an event that the backward kernel of that layer reaches.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kLayers = 3;
constexpr int kCount = 256;

__global__ void backward(float* gradient, float value) { gradient[threadIdx.x] = value; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cudaStream_t computing, reducing;
  CHECK(cudaStreamCreateWithFlags(&computing, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&reducing, cudaStreamNonBlocking));
  cudaEvent_t ready;
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  float* gradients;
  CHECK(cudaMalloc(&gradients, kLayers * kCount * sizeof(float)));
  for (int layer = kLayers - 1; layer >= 0; layer--) {
    float* gradient = gradients + layer * kCount;
    backward<<<1, kCount, 0, computing>>>(gradient, static_cast<float>(layer + ranks.rank));
    CHECK(cudaEventRecord(ready, computing));
    CHECK(cudaStreamWaitEvent(reducing, ready, 0));
    CHECK(ncclAllReduce(gradient, gradient, kCount, ncclFloat, ncclSum, ranks.comm, reducing));
  }
  CHECK(cudaStreamSynchronize(computing));
  CHECK(cudaStreamSynchronize(reducing));
  long wrong = 0;
  std::vector<float> got = download(gradients, kLayers * kCount);
  for (int i = 0; i < kLayers * kCount; i++) wrong += got[i] != static_cast<float>(2 * (i / kCount) + 1);
  CHECK(cudaFree(gradients));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaStreamDestroy(reducing));
  CHECK(cudaStreamDestroy(computing));
  return ranks.verdict(wrong);
}
