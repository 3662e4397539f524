// The host sums a managed array after the device is done with it; no copy is needed.
// ranks: 2
// expect: no findings
#include <cstdio>

constexpr int kDevices = 2;
constexpr int kCount = 256;

__global__ void write_values(int* values, int device) { values[threadIdx.x] = (device + 1) * threadIdx.x; }

int sum_of(const int* values) {
  int sum = 0;
  for (int i = 0; i < kCount; i++) sum += values[i];
  return sum;
}

int main() {
  int* values[kDevices];
  for (int device = 0; device < kDevices; device++) {
    cudaSetDevice(device);
    cudaMallocManaged(&values[device], kCount * sizeof(int));
    for (int i = 0; i < kCount; i++) values[device][i] = 0;
  }
  int wrong = 0;
  for (int device = 0; device < kDevices; device++) {
    cudaSetDevice(device);
    write_values<<<1, kCount>>>(values[device], device);
    cudaDeviceSynchronize();
    wrong += sum_of(values[device]) != (device + 1) * kCount * (kCount - 1) / 2;
  }
  for (int device = 0; device < kDevices; device++) {
    cudaSetDevice(device);
    cudaDeviceSynchronize();
    cudaFree(values[device]);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
