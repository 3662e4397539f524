// The host sums a managed array right after the launch of the kernel that writes it.
// ranks: 2
// expect-finding: host_race
#include <cstdio>

constexpr int kDevices = 2;
constexpr int kCount = 256;

__global__ void write_values(int* values, int device) {
  values[threadIdx.x] = (device + 1) * threadIdx.x;  // FAULT
}

int sum_of(const int* values) {
  int sum = 0;
  for (int i = 0; i < kCount; i++) sum += values[i];  // FAULT
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
    write_values<<<1, kCount>>>(values[device], device);  // FAULT
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
