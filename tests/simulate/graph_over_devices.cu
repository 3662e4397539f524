// One process captures its streams on all devices into one graph with a grouped collective; a branch that is not joined
// back makes the capture fail.
// ranks: 3
// expect: ok
// expect: 0 wrong
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kCount = 512;

__global__ void increment(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

struct Part {
  ncclComm_t comm;
  float* data;
  cudaStream_t stream;
  cudaEvent_t event;
};

cudaGraph_t capture(std::vector<Part>& parts) {
  cudaStreamBeginCapture(parts[0].stream, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(parts[0].event, parts[0].stream);
  for (size_t i = 0; i < parts.size(); i++) {
    cudaSetDevice(i);
    if (i > 0) cudaStreamWaitEvent(parts[i].stream, parts[0].event);
    increment<<<kCount / 256, 256, 0, parts[i].stream>>>(parts[i].data);
  }
  ncclGroupStart();
  for (Part& part : parts)
    ncclAllReduce(part.data, part.data, kCount, ncclFloat, ncclSum, part.comm, part.stream);
  ncclGroupEnd();
  for (size_t i = 1; i < parts.size(); i++) {
    cudaEventRecord(parts[i].event, parts[i].stream);
    cudaStreamWaitEvent(parts[0].stream, parts[i].event);
  }
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(parts[0].stream, &graph);
  return graph;
}

cudaError_t capture_without_join(std::vector<Part>& parts) {
  cudaStreamBeginCapture(parts[0].stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(parts[0].event, parts[0].stream);
  cudaStreamWaitEvent(parts[1].stream, parts[0].event);
  cudaMemsetAsync(parts[1].data, 0, sizeof(float), parts[1].stream);
  cudaGraph_t graph;
  return cudaStreamEndCapture(parts[0].stream, &graph);
}

int main() {
  int count = 0;
  cudaGetDeviceCount(&count);
  std::vector<Part> parts(count);
  std::vector<ncclComm_t> comms(count);
  ncclCommInitAll(comms.data(), count, nullptr);
  for (int i = 0; i < count; i++) {
    cudaSetDevice(i);
    parts[i].comm = comms[i];
    cudaMalloc(&parts[i].data, kCount * sizeof(float));
    cudaMemset(parts[i].data, 0, kCount * sizeof(float));
    cudaStreamCreate(&parts[i].stream);
    cudaEventCreateWithFlags(&parts[i].event, cudaEventDisableTiming);
    cudaDeviceSynchronize();
  }
  cudaGraph_t graph = capture(parts);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  float expected = 0;
  for (int round = 0; round < 3; round++) {
    cudaGraphLaunch(exec, parts[0].stream);
    expected = count * (expected + 1);
  }
  cudaStreamSynchronize(parts[0].stream);
  int wrong = capture_without_join(parts) != cudaErrorStreamCaptureUnjoined;
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  for (int i = 0; i < count; i++) {
    std::vector<float> host(kCount);
    cudaMemcpy(host.data(), parts[i].data, kCount * sizeof(float), cudaMemcpyDeviceToHost);
    for (float value : host) wrong += value != expected;
    cudaFree(parts[i].data);
    cudaStreamDestroy(parts[i].stream);
    cudaEventDestroy(parts[i].event);
    ncclCommDestroy(parts[i].comm);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
