// ncclCommInitAll makes a communicator for each device, and each is finalized and destroyed.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kCount = 30;

void release(ncclComm_t* comms) {
  ncclGroupStart();
  for (int device = 0; device < kDevices; device++) ncclCommFinalize(comms[device]);
  ncclGroupEnd();
  for (int device = 0; device < kDevices; device++) ncclCommDestroy(comms[device]);
}

int main() {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  std::vector<int*> buffers(kDevices);
  std::vector<int> host(kCount, 4);
  for (int device = 0; device < kDevices; device++) {
    cudaSetDevice(device);
    cudaMalloc(&buffers[device], kCount * sizeof(int));
    cudaMemcpy(buffers[device], host.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  }
  ncclGroupStart();
  for (int device = 0; device < kDevices; device++)
    ncclAllReduce(buffers[device], buffers[device], kCount, ncclInt, ncclProd, comms[device], nullptr);
  ncclGroupEnd();
  int wrong = 0;
  for (int device = 0; device < kDevices; device++) {
    cudaSetDevice(device);
    cudaDeviceSynchronize();
    cudaMemcpy(host.data(), buffers[device], kCount * sizeof(int), cudaMemcpyDeviceToHost);
    for (int value : host) wrong += value != 64;
    cudaFree(buffers[device]);
  }
  release(comms);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
