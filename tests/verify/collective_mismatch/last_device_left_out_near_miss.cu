// One thread drives all devices in a group, and its loop reaches all of them.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kCount = 48;

struct Device {
  ncclComm_t comm;
  cudaStream_t stream;
  int *part, *all;
};

__global__ void fill(int* part, int device) { part[threadIdx.x] = device * 1000 + static_cast<int>(threadIdx.x); }

void set_up(std::vector<Device>& devices) {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  for (int index = 0; index < kDevices; index++) {
    Device& device = devices[index];
    cudaSetDevice(index);
    device.comm = comms[index];
    cudaStreamCreate(&device.stream);
    cudaMalloc(&device.part, kCount * sizeof(int));
    cudaMalloc(&device.all, kDevices * kCount * sizeof(int));
    fill<<<1, kCount, 0, device.stream>>>(device.part, index);
  }
}

void gather(std::vector<Device>& devices) {
  ncclGroupStart();
  for (int index = 0; index < kDevices; index++) {
    Device& device = devices[index];
    ncclAllGather(device.part, device.all, kCount, ncclInt, device.comm, device.stream);
  }
  ncclGroupEnd();
}

int main() {
  std::vector<Device> devices(kDevices);
  set_up(devices);
  gather(devices);
  int wrong = 0;
  for (int index = 0; index < kDevices; index++) {
    Device& device = devices[index];
    cudaSetDevice(index);
    cudaStreamSynchronize(device.stream);
    std::vector<int> got(kDevices * kCount);
    cudaMemcpy(got.data(), device.all, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < kDevices * kCount; i++) wrong += got[i] != i / kCount * 1000 + i % kCount;
    cudaFree(device.all);
    cudaFree(device.part);
    cudaStreamDestroy(device.stream);
    ncclCommDestroy(device.comm);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
