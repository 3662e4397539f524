// One thread drives all devices: the parts of the collective are grouped, the waiting comes after all of them.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kElements = 300;

struct Device {
  ncclComm_t comm;
  cudaStream_t stream;
  float* values;
};

__global__ void scale(float* values, float factor) {
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) values[i] = static_cast<float>(i) * factor;
}

void set_up(std::vector<Device>& devices) {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  for (int index = 0; index < kDevices; index++) {
    cudaSetDevice(index);
    devices[index].comm = comms[index];
    cudaStreamCreate(&devices[index].stream);
    cudaMalloc(&devices[index].values, kElements * sizeof(float));
    scale<<<1, 100, 0, devices[index].stream>>>(devices[index].values, static_cast<float>(index + 1));
  }
}

void reduce_all(std::vector<Device>& devices) {
  ncclGroupStart();
  for (Device& device : devices)
    ncclAllReduce(device.values, device.values, kElements, ncclFloat, ncclSum, device.comm, device.stream);
  ncclGroupEnd();
  for (int index = 0; index < kDevices; index++) {
    cudaSetDevice(index);
    cudaStreamSynchronize(devices[index].stream);
  }
}

int count_wrong(const Device& device) {
  std::vector<float> got(kElements);
  cudaMemcpy(got.data(), device.values, kElements * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kElements; i++) wrong += got[i] != 6.0f * static_cast<float>(i);
  return wrong;
}

int main() {
  std::vector<Device> devices(kDevices);
  set_up(devices);
  reduce_all(devices);
  int wrong = 0;
  for (int index = 0; index < kDevices; index++) {
    cudaSetDevice(index);
    wrong += count_wrong(devices[index]);
    cudaFree(devices[index].values);
    cudaStreamDestroy(devices[index].stream);
    ncclCommDestroy(devices[index].comm);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
