// The two halves share their border element: both streams write it.
// ranks: 2
// expect-finding: gpu_race
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 2;
constexpr int kCount = 400;

__global__ void fill_range(int* values, int first, int end) {
  for (int i = first + threadIdx.x; i < end; i += blockDim.x) values[i] = i + first;  // FAULT
}

struct Device {
  ncclComm_t comm;
  cudaStream_t low, high;
  cudaEvent_t high_done;
  int* values;
};

void create(Device& device, int index) {
  cudaSetDevice(index);
  cudaStreamCreateWithFlags(&device.low, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&device.high, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&device.high_done, cudaEventDisableTiming);
  cudaMalloc(&device.values, kCount * sizeof(int));
}

void fill(const Device& device, int index) {
  cudaSetDevice(index);
  fill_range<<<1, 128, 0, device.low>>>(device.values, 0, kCount / 2 + 1);    // FAULT
  fill_range<<<1, 128, 0, device.high>>>(device.values, kCount / 2, kCount);  // FAULT
  cudaEventRecord(device.high_done, device.high);
  cudaStreamWaitEvent(device.low, device.high_done, 0);
}

int wrong_values(const Device& device, int index) {
  cudaSetDevice(index);
  cudaStreamSynchronize(device.low);
  std::vector<int> host(kCount);
  cudaMemcpy(host.data(), device.values, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != kDevices * (i < kCount / 2 ? i : i + kCount / 2);
  return wrong;
}

void destroy(Device& device, int index) {
  cudaSetDevice(index);
  cudaFree(device.values);
  cudaEventDestroy(device.high_done);
  cudaStreamDestroy(device.low);
  cudaStreamDestroy(device.high);
  ncclCommDestroy(device.comm);
}

int main() {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  Device devices[kDevices];
  for (int i = 0; i < kDevices; i++) {
    devices[i].comm = comms[i];
    create(devices[i], i);
    fill(devices[i], i);
  }
  ncclGroupStart();
  for (Device& device : devices)
    ncclAllReduce(device.values, device.values, kCount, ncclInt, ncclSum, device.comm, device.low);
  ncclGroupEnd();
  int wrong = 0;
  for (int i = 0; i < kDevices; i++) wrong += wrong_values(devices[i], i);
  for (int i = 0; i < kDevices; i++) destroy(devices[i], i);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
