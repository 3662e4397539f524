// ncclCommInitAll makes a communicator for each device, and only the first device's is destroyed.
// ranks: 3
// expect-finding: leak
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kCount = 30;

void release(ncclComm_t* comms) { ncclCommDestroy(comms[0]); }

int main() {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);  // FAULT
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
