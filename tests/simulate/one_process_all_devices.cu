// One host thread drives every GPU: ncclCommInitAll and grouped collectives.
// ranks: 3
// expect: ok
// expect: 0 wrong
#include <nccl.h>

#include <cstdio>
#include <vector>

int main() {
  const int count = 3, elements = 50;
  ncclComm_t comms[count];
  ncclCommInitAll(comms, count, nullptr);
  std::vector<float*> buffers(count);
  std::vector<cudaStream_t> streams(count);
  for (int device = 0; device < count; device++) {
    cudaSetDevice(device);
    cudaStreamCreate(&streams[device]);
    cudaMalloc(&buffers[device], elements * sizeof(float));
    std::vector<float> values(elements, static_cast<float>(device + 1));
    cudaMemcpy(buffers[device], values.data(), elements * sizeof(float), cudaMemcpyHostToDevice);
  }
  ncclGroupStart();
  for (int device = 0; device < count; device++)
    ncclAllReduce(buffers[device], buffers[device], elements, ncclFloat, ncclSum, comms[device], streams[device]);
  ncclGroupEnd();
  int wrong = 0;
  for (int device = 0; device < count; device++) {
    cudaSetDevice(device);
    cudaStreamSynchronize(streams[device]);
    std::vector<float> got(elements);
    cudaMemcpy(got.data(), buffers[device], elements * sizeof(float), cudaMemcpyDeviceToHost);
    for (float value : got) wrong += value != 6.0f;
    cudaFree(buffers[device]);
    ncclCommDestroy(comms[device]);
  }
  std::printf("%d wrong\n", wrong);
  return wrong;
}
