// The all-gather is in place: each device's share already lies in the buffer that receives everyone's.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kShare = 200;

struct Buffers {
  int* all;
};

Buffers allocate(int device) {
  cudaSetDevice(device);
  Buffers buffers;
  std::vector<int> host(kShare, device + 7);
  cudaMalloc(&buffers.all, kDevices * kShare * sizeof(int));
  cudaMemcpy(buffers.all + device * kShare, host.data(), kShare * sizeof(int), cudaMemcpyHostToDevice);
  return buffers;
}

void gather(const std::vector<Buffers>& buffers, ncclComm_t* comms) {
  ncclGroupStart();
  for (int device = 0; device < kDevices; device++) {
    cudaSetDevice(device);
    const int* share = buffers[device].all + device * kShare;
    ncclAllGather(share, buffers[device].all, kShare, ncclInt, comms[device], nullptr);
  }
  ncclGroupEnd();
}

int main() {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  std::vector<Buffers> buffers;
  for (int device = 0; device < kDevices; device++) buffers.push_back(allocate(device));
  gather(buffers, comms);
  int wrong = 0;
  for (int device = 0; device < kDevices; device++) {
    cudaSetDevice(device);
    cudaDeviceSynchronize();
    std::vector<int> host(kDevices * kShare);
    cudaMemcpy(host.data(), buffers[device].all, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < host.size(); i++) wrong += host[i] != static_cast<int>(i / kShare) + 7;
    cudaFree(buffers[device].all);
    ncclCommDestroy(comms[device]);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
