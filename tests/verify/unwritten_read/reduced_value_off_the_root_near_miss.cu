// Receive buffers off the root stay unwritten after ncclReduce, and only the root's is fetched.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kCount = 100;

struct Device {
  int index;
  ncclComm_t comm;
  cudaStream_t stream;
  double *send, *receive;
};

void prepare(Device& device, int index, ncclComm_t comm) {
  device.index = index;
  device.comm = comm;
  cudaSetDevice(index);
  cudaStreamCreate(&device.stream);
  cudaMalloc(&device.send, kCount * sizeof(double));
  cudaMalloc(&device.receive, kCount * sizeof(double));
  std::vector<double> values(kCount, index + 0.5);
  cudaMemcpy(device.send, values.data(), kCount * sizeof(double), cudaMemcpyHostToDevice);
}

int wrong_values(const Device& device) {
  cudaSetDevice(device.index);
  std::vector<double> values(kCount);
  cudaMemcpy(values.data(), device.receive, kCount * sizeof(double), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (double value : values) wrong += value != 4.5;
  return wrong;
}

void release(Device& device) {
  cudaSetDevice(device.index);
  cudaFree(device.send);
  cudaFree(device.receive);
  cudaStreamDestroy(device.stream);
  ncclCommDestroy(device.comm);
}

int main() {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  std::vector<Device> devices(kDevices);
  for (int i = 0; i < kDevices; i++) prepare(devices[i], i, comms[i]);
  ncclGroupStart();
  for (Device& device : devices)
    ncclReduce(device.send, device.receive, kCount, ncclDouble, ncclSum, 0, device.comm, device.stream);
  ncclGroupEnd();
  for (Device& device : devices) {
    cudaSetDevice(device.index);
    cudaStreamSynchronize(device.stream);
  }
  int wrong = wrong_values(devices[0]);
  for (Device& device : devices) release(device);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
