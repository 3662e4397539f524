// A captured stream that forks to a second one and joins it again, replayed three times: kernels, a copy, a memset, a
// host function and a collective in between.
// ranks: 2
// expect: ok
// expect: rank 0: 0 wrong
// expect: rank 1: 0 wrong
// expect: host function ran 3 times
#include "support.h"

constexpr int kCount = 4096;

__global__ void add(float* data, const float* other, float amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] += other[i] + amount;
}

int calls = 0;

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float *data, *side, *sum;
  CHECK(cudaMalloc(&data, kCount * sizeof(float)));
  CHECK(cudaMalloc(&side, kCount * sizeof(float)));
  CHECK(cudaMalloc(&sum, kCount * sizeof(float)));
  CHECK(cudaMemset(data, 0, kCount * sizeof(float)));
  CHECK(cudaMemset(sum, 0, kCount * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t stream, branch;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreateWithFlags(&branch, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(branch, fork, 0));
  CHECK(cudaMemsetAsync(side, 0, kCount * sizeof(float), branch));
  add<<<kCount / 256, 256, 0, branch>>>(side, sum, 1.0f);
  CHECK(cudaEventRecord(join, branch));
  CHECK(cudaMemcpyAsync(data, sum, kCount * sizeof(float), cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  add<<<kCount / 256, 256, 0, stream>>>(data, side, float(ranks.rank));
  CHECK(ncclAllReduce(data, sum, kCount, ncclFloat, ncclSum, ranks.comm, stream));
  CHECK(cudaLaunchHostFunc(stream, [](void* count) { ++*static_cast<int*>(count); }, &calls));
  bool refuses = cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphDestroy(graph));
  long wrong = (nodes != 6) + !refuses + (calls != 0);

  // After a round: data = 2 old + 1 + rank on each rank, and sum is both together.
  float expected = 0;
  for (int round = 0; round < 3; round++) {
    CHECK(cudaGraphLaunch(exec, stream));
    expected = 2 * (2 * expected + 1) + 1;
  }
  CHECK(cudaStreamSynchronize(stream));
  for (float value : download(sum, kCount)) wrong += value != expected;
  std::printf("host function ran %d times\n", calls);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  CHECK(cudaStreamDestroy(branch));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  CHECK(cudaFree(side));
  CHECK(cudaFree(sum));
  return ranks.verdict(wrong);
}
