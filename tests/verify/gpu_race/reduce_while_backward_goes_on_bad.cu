// The gradient of a layer is reduced on a second stream while the backward kernel of that layer is still writing it.
// ranks: 2
// expect-finding: gpu_race
#include "../../simulate/support.h"

constexpr int kLayers = 3;
constexpr int kCount = 256;

__global__ void backward(float* gradient, float value) { gradient[threadIdx.x] = value; }  // FAULT

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
    CHECK(cudaEventRecord(ready, computing));  // FAULT
    backward<<<1, kCount, 0, computing>>>(gradient, static_cast<float>(layer + ranks.rank));  // FAULT
    CHECK(cudaStreamWaitEvent(reducing, ready, 0));
    CHECK(ncclAllReduce(gradient, gradient, kCount, ncclFloat, ncclSum, ranks.comm, reducing));  // FAULT
  }
  CHECK(cudaStreamSynchronize(computing));
  CHECK(cudaStreamSynchronize(reducing));
  long wrong = 0;
  std::vector<float> got = download(gradients, kLayers * kCount);
  CHECK(cudaFree(gradients));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaStreamDestroy(reducing));
  CHECK(cudaStreamDestroy(computing));
  return ranks.verdict(wrong);
}
